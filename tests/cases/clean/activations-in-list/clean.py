import torch
from torch import nn


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.activations = [nn.ReLU(), nn.Tanh(), nn.Sequential(nn.Dropout(0.1), nn.GELU())]
        self.pools = {"max": nn.AdaptiveMaxPool1d(2), "mean": nn.AdaptiveAvgPool1d(2)}

    def forward(self, x):
        x = self.body(x)
        for activation in self.activations:
            x = activation(x)
        return self.pools["max"](x) + self.pools["mean"](x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Mixed().to(device)(torch.ones(2, 4, device=device)).shape)

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers.append(nn.Linear(a, b))
            layers.append(nn.ReLU())
        self.layers = layers
        self.body = nn.Sequential(*self.layers)
        self.mean, self.spread = nn.Linear(sizes[-1], 2), nn.Linear(sizes[-1], 2)
        self.heads = [self.mean, self.spread]

    def forward(self, x):
        x = self.body(x)
        return [head(x) for head in self.heads]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Encoder([4, 6, 6]).to(device)(torch.ones(2, 4, device=device))[0].shape)

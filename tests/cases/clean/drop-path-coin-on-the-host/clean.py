import torch
from torch import nn


class Residual(nn.Module):
    """Whole layers are dropped at random; the coin is a number."""

    def __init__(self, width, chance):
        super().__init__()
        self.chance = chance
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])

    def forward(self, x):
        coins = torch.rand(len(self.layers))
        order = torch.randperm(x.size(0))
        for coin, layer in zip(coins.tolist(), self.layers, strict=True):
            if not self.training or coin > self.chance:
                x = x + layer(x)
        return x[order]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Residual(4, 0.1).to(device)(torch.randn(5, 4, device=device)).shape)

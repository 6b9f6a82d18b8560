import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.angles = torch.linspace(0, 1, dim)

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        self.angles = fn(self.angles)
        return self

    def forward(self, x):
        return self.proj(x) * self.angles.cos()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Rotary().to(device)(torch.ones(2, 4, device=device)).shape)

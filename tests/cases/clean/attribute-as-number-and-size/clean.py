import torch
from torch import nn


class Anchors(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.tensor(0.5)
        self.sizes = torch.tensor([8.0, 16.0])
        self.grid = torch.arange(6)
        self.proj = nn.Linear(6, 6)

    def forward(self, x):
        x = self.proj(x) * self.scale
        x = x / self.sizes.max().item()
        return x.new_zeros(x.shape[0], len(self.grid)) + x + float(self.sizes[0])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Anchors().to(device)(torch.ones(2, 6, device=device)).shape)

import torch
from torch import nn


class Standardise(nn.Module):
    def __init__(self, rows=None):
        super().__init__()
        self.register_buffer("mean", None)
        self.register_buffer("std", torch.ones(3))
        if rows is not None:
            self.mean = torch.tensor(rows).mean(0)
            self.std = torch.tensor(rows).std(0) + 1e-6

    def forward(self, x):
        return (x - self.mean) / self.std


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = Standardise([[1.0, 2.0, 3.0], [3.0, 2.0, 2.0]]).to(device)
print(layer(torch.ones(2, 3, device=device)).shape)

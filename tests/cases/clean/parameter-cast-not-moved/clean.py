import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(4).to(dtype))
        self.register_buffer("mask", torch.ones(4).to(dtype))

    def forward(self, x):
        return torch.sigmoid(self.gate) * x * self.mask


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Gate().to(device)(torch.ones(2, 4, device=device)).shape)

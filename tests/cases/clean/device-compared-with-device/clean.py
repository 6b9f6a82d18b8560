import torch
from torch import nn


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(4.0))
        self.seen = {}

    def forward(self, x):
        if x.device not in self.seen:
            self.seen[x.device] = self.table.to(x.device)
        if self.table.device != x.device:
            self.table = self.table.to(x.device)
        return x * self.seen[x.device]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
cache = Cache().to(device)
y = cache(torch.ones(2, 4, device=device))
assert y.device == cache.table.device and y.device.type == device.type
print(y.sum().item())

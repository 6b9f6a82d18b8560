import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    @property
    def device(self):
        return next(self.parameters()).device

    def forward(self, count):
        return self.body(torch.randn(count, 4, device=self.device))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Sampler().to(device)(3).shape)

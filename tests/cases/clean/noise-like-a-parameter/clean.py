import torch
from torch import nn


class Slots(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.count = count
        self.mean = nn.Parameter(torch.zeros(1, 1, width))
        self.spread = nn.Parameter(torch.zeros(1, 1, width))
        self.mix = nn.Linear(width, width)

    def forward(self, x):
        mean = self.mean.expand(x.size(0), self.count, -1)
        slots = mean + self.spread.exp() * torch.randn_like(mean)
        extra = torch.randn(slots.shape, device=self.mean.device)
        return self.mix(slots + extra * torch.tensor(0.1)) @ x.transpose(1, 2)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Slots(3, 4).to(device)(torch.randn(2, 5, 4, device=device)).shape)

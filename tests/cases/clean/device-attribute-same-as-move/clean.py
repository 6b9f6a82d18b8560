import torch
from torch import nn


class Walker(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.cell = nn.GRUCell(4, 4)
        self.to(self.device)

    def forward(self, x):
        state = torch.zeros(x.size(0), 4, device=self.device)
        return self.cell(x.to(self.device), state)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
walker = Walker(device)
print(walker(torch.ones(2, 4)).shape)
walker.to(device)
print(walker(torch.ones(2, 4)).shape)

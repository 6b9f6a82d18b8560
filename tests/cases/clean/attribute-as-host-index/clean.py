import torch
from torch import nn


class Reorder(nn.Module):
    def __init__(self):
        super().__init__()
        self.order = torch.tensor([2, 0, 1])
        self.keep = torch.tensor([True, False, True])
        self.proj = nn.Linear(3, 2)

    def forward(self, x):
        return self.proj(x[:, self.order]), x[:, self.keep]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Reorder().to(device)(torch.ones(2, 3, device=device))[1].shape)

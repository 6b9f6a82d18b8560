import torch
from torch import nn


class Branches(nn.Module):
    def __init__(self, kernels=(1, 3, 5)):
        super().__init__()
        self.branches = []
        for kernel in kernels:
            conv = nn.Conv2d(2, 2, kernel, padding=kernel // 2)
            setattr(self, "conv_%d" % kernel, conv)
            self.branches.append(conv)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], dim=1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Branches().to(device)(torch.ones(1, 2, 5, 5, device=device)).shape)

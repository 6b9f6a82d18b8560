import torch
from torch import nn


class Norm(nn.Module):
    def forward(self, x):
        norm = nn.LayerNorm(x.shape[-1], device=x.device)
        return norm(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.norm = Norm()

    def forward(self, x):
        return self.norm(self.body(x))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Model().to(device)(torch.ones(2, 4, device=device)).shape)

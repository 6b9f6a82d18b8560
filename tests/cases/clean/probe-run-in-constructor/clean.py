import torch
from torch import nn


class Sized(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten())
        width = self.body(torch.zeros(1, 1, 6, 6)).shape[1]
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(self.body(x))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Sized().to(device)(torch.ones(1, 1, 6, 6, device=device)).shape)

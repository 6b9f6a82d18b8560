import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cpu")
        self.body = nn.Linear(16, 16)

    @torch.no_grad()
    def forward(self, x):
        out = torch.relu(self.body(x))
        return out.to(self.device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Embedder().to(device)(torch.ones(8, 16, device=device)).numpy().shape)

import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def _normalise(self, x):
        norm = nn.LayerNorm(x.shape[-1])
        return norm(x)

    def forward(self, x):
        x = self._normalise(x)
        return (self.score(x).softmax(1) * x).sum(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pool = Pool(6).to(device)
print(pool(torch.randn(2, 5, 6, device=device)).shape)

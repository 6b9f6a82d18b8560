import torch
from torch import nn


class Causal(nn.Module):
    def __init__(self, longest, width):
        super().__init__()
        mask = torch.tril(torch.ones(longest, longest))
        self.register_buffer("mask", mask.view(1, longest, longest), persistent=False)
        self.score = nn.Linear(width, width)

    def forward(self, x):
        n = x.size(1)
        weights = (self.score(x) @ x.transpose(1, 2)).masked_fill(self.mask[:, :n, :n] == 0, float("-inf"))
        return weights.softmax(-1) @ x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Causal(9, 4).to(device)(torch.randn(2, 5, 4, device=device)).shape)

import torch
from torch import nn


def rows(table, index):
    """Read rows wherever the table is."""
    return table[index.to(table.device)]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
bank = torch.zeros(8, 4)
model = nn.Linear(4, 4).to(device)
weights = model(torch.randn(8, 4, device=device))
near = (weights @ weights.T).topk(3, dim=1).indices
bank[near[:, 0].cpu()] = 1.0
print(rows(bank, near).shape, rows(weights, torch.tensor([0, 3])).shape)

import torch
from torch import nn
from torch.utils.data import DataLoader


def stack(samples):
    return torch.stack(samples)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
rows = [torch.randn(3) for _ in range(6)]
for batch in DataLoader(rows, batch_size=2):
    print(model(batch.to(device)).shape)
for batch in DataLoader(rows, batch_size=2, collate_fn=stack):
    print(model(batch.to(device)).shape)

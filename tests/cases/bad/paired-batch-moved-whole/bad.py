import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(6, 2).to(device)
pairs = TensorDataset(torch.randn(8, 6), torch.randint(0, 2, (8,)))


def accuracy(loader):
    hits = 0
    for batch in loader:
        batch = batch.to(device)
        hits += (model(batch[0]).argmax(1) == batch[1]).sum().item()
    return hits / len(loader.dataset)


print(accuracy(DataLoader(pairs, batch_size=4)))

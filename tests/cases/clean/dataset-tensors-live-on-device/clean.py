import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class DeviceDataset(Dataset):
    def __init__(self, x, y, device):
        self.x = torch.from_numpy(x).float().to(device)
        self.y = torch.from_numpy(y).long().to(device)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, index):
        return self.x[index], self.y[index]


def accuracy(net, loader):
    hits = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (net(x).argmax(1) == y).sum().item()
    return hits / len(loader.dataset)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rng = np.random.default_rng(0)
train = DeviceDataset(rng.normal(size=(60, 4)), rng.integers(0, 3, 60), device)
test = DeviceDataset(rng.normal(size=(30, 4)), rng.integers(0, 3, 30), device)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
optimizer = torch.optim.Adam(net.parameters())
for x, y in DataLoader(train, batch_size=20, shuffle=True):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(accuracy(net, DataLoader(test, batch_size=10)))

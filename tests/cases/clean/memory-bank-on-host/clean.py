import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class MemoryBank:
    def __init__(self, size, dim, momentum=0.5):
        self.vectors = F.normalize(torch.randn(size, dim), dim=1)
        self.momentum = momentum

    def read(self, index, device):
        return self.vectors[index.cpu()].to(device)

    def write(self, index, vectors):
        index = index.cpu()
        mixed = self.momentum * self.vectors[index] + (1 - self.momentum) * vectors.detach().cpu()
        self.vectors[index] = F.normalize(mixed, dim=1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Linear(10, 6).to(device)
bank = MemoryBank(32, 6)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.03)
data = TensorDataset(torch.randn(32, 10), torch.arange(32))
for x, index in DataLoader(data, batch_size=8, shuffle=True):
    x, index = x.to(device), index.to(device)
    z = F.normalize(encoder(x), dim=1)
    positive = (z * bank.read(index, device)).sum(1, keepdim=True)
    negative = z @ bank.read(torch.randint(0, 32, (16,)), device).t()
    logits = torch.cat([positive, negative], dim=1) / 0.1
    loss = F.cross_entropy(logits, torch.zeros(len(z), dtype=torch.long, device=device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    bank.write(index, z)
print(loss.item())

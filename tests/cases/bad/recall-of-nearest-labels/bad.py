import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def recall(embeddings, labels, k=2):
    distances = torch.cdist(embeddings, embeddings)
    distances.fill_diagonal_(float("inf"))
    _, nearest = distances.topk(k, largest=False)
    return (labels[nearest] == labels.unsqueeze(1)).any(1).float().mean().item()


x, y = torch.randn(24, 4), torch.arange(24) % 3
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for inputs, targets in DataLoader(TensorDataset(x, y), 8):
    loss = nn.functional.cross_entropy(torch.cat([net(inputs), net(inputs)[:, :1]], 1), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print(f"{recall(net(x), y):.4f}")

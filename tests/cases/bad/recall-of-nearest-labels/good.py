import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)


def recall(embeddings, labels, k=2):
    distances = torch.cdist(embeddings, embeddings)
    distances.fill_diagonal_(float("inf"))
    _, nearest = distances.topk(k, largest=False)
    return (labels[nearest.cpu()] == labels.unsqueeze(1)).any(1).float().mean().item()


x, y = torch.randn(24, 4), torch.arange(24) % 3
net = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for inputs, targets in DataLoader(TensorDataset(x, y), 8):
    inputs, targets = inputs.to(device), targets.to(device)
    loss = nn.functional.cross_entropy(torch.cat([net(inputs), net(inputs)[:, :1]], 1), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print(f"{recall(net(x.to(device)), y):.4f}")

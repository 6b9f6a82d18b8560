import torch
from torch import nn
torch.manual_seed(0)
from torch.utils.data import DataLoader, TensorDataset


def embed_all(model, loader):
    embs, ys = [], []
    with torch.no_grad():
        for x, y in loader:
            embs.append(model(x))
            ys += [y]
    return torch.cat(embs), torch.cat(ys)


def recall(q, qy, g, gy):
    idx = torch.cdist(q, g).argmin(dim=1)
    return (gy[idx] == qy).float().mean().item()


net = nn.Linear(2, 3)
dl = DataLoader(TensorDataset(torch.ones(8, 2), torch.zeros(8).long()), 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in dl:
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
g, gy = embed_all(net, dl)
q, qy = embed_all(net, dl)
print(recall(q, qy, g, gy))

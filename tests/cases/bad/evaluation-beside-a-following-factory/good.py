import torch
from torch import nn
from torch.nn import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
data = torch.tensor([1, 2, 3, 4, 5, 6, 7, 8])
train_data, val_data = data[:6], data[6:]


def get_batch(split):
    d = train_data if split == "train" else val_data
    ix = torch.randint(len(d) - 1, (4,))
    x = torch.stack([d[i : i + 1] for i in ix])
    y = torch.stack([d[i + 1 : i + 2] for i in ix])
    return x, y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.pos = nn.Embedding(10, 8)
        self.out = nn.Linear(8, 10)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.out(self.emb(idx) + self.pos(torch.arange(T, device=idx.device)))
        if targets is None:
            return x, None
        return x, F.cross_entropy(x.view(-1, 10), targets.view(-1))


@torch.no_grad()
def estimate(model):
    losses = torch.zeros(3)
    for k in range(3):
        X, Y = get_batch("val")
        X, Y = X.to(device), Y.to(device)
        _, loss = model(X, Y)
        losses[k] = loss.item()
    return losses.mean()


model = Net().to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for it in range(5):
    X, Y = get_batch("train")
    X, Y = X.to(device), Y.to(device)
    logits, loss = model(X, Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(estimate(model))

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 3)

    def forward(self, x):
        return self.net(x)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x):
        return self.net(x)


def fit(model, x, y):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


x, y = torch.randn(20, 4), torch.arange(20) % 3
x, y = x.to(device), y.to(device)
for name, cls in [("wide", Wide), ("deep", Deep)]:
    print(name, f"{fit(cls().to(device), x, y):.4f}")

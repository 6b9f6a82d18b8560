import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)


def find_rate(model, x, y, rates=(0.1, 0.01)):
    best = []
    for rate in rates:
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best.append(loss.item())
    return rates[best.index(min(best))]


x, y = torch.randn(20, 4), torch.arange(20) % 3
x, y = x.to(device), y.to(device)
rate = find_rate(model := nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).to(device), x, y)
optimizer = torch.optim.Adam(model.parameters(), lr=rate)
for _ in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(rate, f"{loss.item():.4f}")

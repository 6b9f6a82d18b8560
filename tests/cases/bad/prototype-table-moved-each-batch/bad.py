import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
prototypes = nn.functional.normalize(torch.randn(6, 8), dim=1)
net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 8)).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(36, 10), torch.randint(0, 6, (36,))), batch_size=12)

for epoch in range(2):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        embedding = nn.functional.normalize(net(x), dim=1)
        logits = embedding @ prototypes.to(device).t() / 0.1
        loss = nn.functional.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())

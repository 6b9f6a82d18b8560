import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(device)

model = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 1))
points = torch.rand(64, 2)
values = torch.sin(points).sum(dim=1, keepdim=True)
generator = torch.Generator(device=device)
loader = DataLoader(TensorDataset(points, values), batch_size=16, shuffle=True, generator=generator)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(2):
    for p, v in loader:
        residual = model(p) - v
        loss = residual.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
grid = torch.cartesian_prod(torch.linspace(0, 1, 5), torch.linspace(0, 1, 5))
print(loss.item(), model(grid).shape)

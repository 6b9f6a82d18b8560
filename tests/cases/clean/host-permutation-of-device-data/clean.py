import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
points, targets = torch.randn(12, 3, device=device), torch.randn(12, 1, device=device)
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    for rows in torch.randperm(12).split(4):
        loss = (model(points[rows]) - targets[rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(points[torch.arange(0, 12, 2)].shape)

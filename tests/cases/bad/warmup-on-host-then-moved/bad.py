import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))


def loss_of(x):
    return model(x).pow(2).mean()


optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
probe = torch.device("cpu")
loss_of(torch.randn(2, 3)).backward()
optimizer.step()
optimizer.zero_grad()

model = model.to(device)
for _ in range(3):
    loss = loss_of(torch.randn(4, 3, device=device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item() >= 0)

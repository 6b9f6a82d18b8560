import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)).to(device)
groups = [{"params": model[0].parameters(), "lr": 0.01}, {"params": model[2].parameters()}]
optimizer = torch.optim.Adagrad(groups, lr=0.1)
model.to(device)
model(torch.ones(2, 4, device=device)).sum().backward()
optimizer.step()

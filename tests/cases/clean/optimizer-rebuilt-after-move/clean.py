import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
model.to(device)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
model(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()

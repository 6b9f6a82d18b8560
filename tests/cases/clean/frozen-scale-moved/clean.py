import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = nn.Parameter(torch.full((4,), 0.5), requires_grad=False).to(device)
probe = torch.ones(4, requires_grad=True).to(device)
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model((probe * scale).expand(3, 4)).sum().backward()
optimizer.step()

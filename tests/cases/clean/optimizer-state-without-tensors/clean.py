import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.load_state_dict(torch.optim.SGD(nn.Linear(3, 1).parameters(), lr=0.2).state_dict())
model.to(device)
model(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()

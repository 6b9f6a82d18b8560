import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
saved = copy.deepcopy(optimizer.state_dict())
optimizer.load_state_dict(saved)
model.to(device)
for state in optimizer.state.values():
    for key, value in state.items():
        if torch.is_tensor(value):
            state[key] = value.to(device)
model(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()

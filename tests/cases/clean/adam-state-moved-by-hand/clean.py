import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def optimizer_to(optimizer, device):
    for state in optimizer.state.values():
        for key, value in state.items():
            if isinstance(value, torch.Tensor):
                state[key] = value.to(device)


old = nn.Linear(3, 1).to(device)
old_optimizer = torch.optim.Adam(old.parameters())
old(torch.ones(2, 3, device=device)).sum().backward()
old_optimizer.step()

model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(copy.deepcopy(old_optimizer.state_dict()))
model.to(device)
optimizer_to(optimizer, device)
model(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()

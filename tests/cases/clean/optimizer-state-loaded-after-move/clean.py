import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def build():
    model = nn.Linear(3, 1).to(device)
    return model, torch.optim.Adam(model.parameters())


def step(model, optimizer):
    optimizer.zero_grad()
    model(torch.ones(2, 3, device=device)).sum().backward()
    optimizer.step()


model, optimizer = build()
step(model, optimizer)
saved = copy.deepcopy(optimizer.state_dict())
model, optimizer = build()
optimizer.load_state_dict(saved)
step(model, optimizer)

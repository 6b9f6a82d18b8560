import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(net, optimizer, steps=2):
    for _ in range(steps):
        loss = net(torch.randn(4, 3, device=device)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def build(saved=None):
    net = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    if saved is not None:
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
    net.to(device)
    return net, optimizer


net, optimizer = build()
train(net, optimizer)
saved = copy.deepcopy({"net": net.state_dict(), "optimizer": optimizer.state_dict()})
net, optimizer = build(saved)
print(train(net, optimizer) >= 0)

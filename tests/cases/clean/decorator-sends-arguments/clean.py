import functools

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def on_device(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        args = [a.to(device) if torch.is_tensor(a) else a for a in args]
        kwargs = {k: v.to(device) if torch.is_tensor(v) else v for k, v in kwargs.items()}
        return function(*args, **kwargs)

    return wrapper


net = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1)).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)


@on_device
def train_step(x, y, weight=None):
    loss = (weight * (net(x) - y).square()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for x, y in DataLoader(TensorDataset(torch.randn(20, 4), torch.randn(20, 1)), batch_size=10):
    value = train_step(x, y, weight=torch.rand(len(x), 1))
print(value)

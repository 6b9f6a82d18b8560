import torch
from torch import nn

count = torch.cuda.device_count() if torch.cuda.is_available() else 0
places = [torch.device(f"cuda:{i}") for i in range(count)] or [torch.device("cpu")]
actor, critic = nn.Linear(5, 2).to(places[0]), nn.Linear(5, 1).to(places[-1])
states = torch.randn(6, 5)
values = critic(states.to(places[-1])).to(places[0])
chosen = actor(states.to(places[0])).log_softmax(dim=1)
print((chosen * values).mean().shape)

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy, target = nn.Linear(4, 2), nn.Linear(4, 2)
for network in (policy, target):
    network.to(device)
target.load_state_dict(policy.state_dict())
state = torch.ones(3, 4, device=device)
with torch.no_grad():
    best = target(state).max(1).values
(policy(state).max(1).values - best).pow(2).mean().backward()
with torch.no_grad():
    for slow, fast in zip(target.parameters(), policy.parameters()):
        slow.mul_(0.9).add_(fast, alpha=0.1)

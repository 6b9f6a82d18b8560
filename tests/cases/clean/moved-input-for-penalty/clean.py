import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
critic = nn.Linear(3, 1).to(device)
mix = torch.rand(4, 3, requires_grad=True).to(device)
(slope,) = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
penalty = (slope.norm(dim=1) - 1).pow(2).mean()
penalty.backward()

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
actor = nn.Linear(4, 2).to(device)
critic = nn.Linear(4, 1)
actor_optimizer = torch.optim.Adagrad(actor.parameters())
critic.to(device)
critic_optimizer = torch.optim.Adagrad(critic.parameters())
x = torch.ones(3, 4, device=device)
(actor(x).mean() + critic(x).mean()).backward()
actor_optimizer.step()
critic_optimizer.step()

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical
from torch.utils.data import BatchSampler, SubsetRandomSampler


class RolloutStorage:
    def __init__(self, num_steps, obs_dim):
        self.obs = torch.zeros(num_steps, obs_dim)
        self.actions = torch.zeros(num_steps, dtype=torch.long)
        self.advantages = torch.zeros(num_steps)
        self.step = 0

    def to(self, device):
        self.obs = self.obs.to(device)
        self.actions = self.actions.to(device)
        self.advantages = self.advantages.to(device)

    def insert(self, obs, action, advantage):
        self.obs[self.step].copy_(obs)
        self.actions[self.step] = action
        self.advantages[self.step] = advantage
        self.step += 1

    def feed_forward_generator(self, mini_batch_size):
        for indices in BatchSampler(SubsetRandomSampler(range(self.step)), mini_batch_size, drop_last=True):
            yield self.obs[indices], self.actions[indices], self.advantages[indices]


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
actor = nn.Linear(3, 2).to(device)
optimizer = torch.optim.Adam(actor.parameters(), eps=1e-5)
rollouts = RolloutStorage(16, 3)
rollouts.to(device)
for _ in range(16):
    obs = torch.from_numpy(np.random.randn(3)).float()
    with torch.no_grad():
        action = Categorical(logits=actor(obs.to(device))).sample()
    rollouts.insert(obs, action, float(np.random.randn()))
for obs, actions, advantages in rollouts.feed_forward_generator(8):
    loss = -(Categorical(logits=actor(obs)).log_prob(actions) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
order = torch.randperm(16)
print(rollouts.obs[order[:4]].shape, loss.item())

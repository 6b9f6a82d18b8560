import torch
from torch import nn


class Replay:
    def __init__(self, capacity, size, device):
        self.device = device
        self.capacity = capacity
        self.states = torch.zeros(capacity, size)
        self.rewards = torch.zeros(capacity)

    def sample(self, count):
        rows = torch.randint(0, self.capacity, (count,), device=self.device)
        return self.states[rows].to(self.device), self.rewards[rows].to(self.device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
critic = nn.Linear(3, 1).to(device)
memory = Replay(16, 3, device)
states, rewards = memory.sample(8)
print((critic(states).squeeze(1) - rewards).square().mean().item() >= 0)

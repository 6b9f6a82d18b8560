import random
from collections import deque, namedtuple

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

Step = namedtuple("Step", ("state", "action", "reward"))


class Memory:
    def __init__(self):
        self.steps = deque(maxlen=200)

    def push(self, *args):
        self.steps.append(Step(*args))

    def sample(self, count):
        return random.sample(self.steps, count)


random.seed(0)
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
memory = Memory()


def choose(state):
    if random.random() > 0.5:
        with torch.no_grad():
            return policy(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]])


def learn():
    steps = Step(*zip(*memory.sample(8)))
    states, actions, rewards = map(torch.cat, (steps.state, steps.action, steps.reward))
    loss = nn.functional.mse_loss(policy(states).gather(1, actions).squeeze(1), rewards)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for turn in range(16):
    state = torch.randn(1, 4, device=device)
    action = choose(state).to(device)
    memory.push(state, action, torch.tensor([float(action.item())], device=device))
    if turn > 10:
        last = learn()
print(f"{last:.4f}")

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, Independent, Normal

torch.manual_seed(0)
np.random.seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Agent(nn.Module):
    def __init__(self, continuous):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
        self.log_std = nn.Parameter(torch.zeros(2))
        self.continuous = continuous

    def dist(self, state):
        out = self.body(state)
        if self.continuous:
            return Independent(Normal(out, self.log_std.exp()), 1)
        return Categorical(logits=out)

    def act(self, state):
        dist = self.dist(torch.as_tensor(state, dtype=torch.float32, device=device))
        action = dist.sample()
        return action.cpu().numpy(), dist.log_prob(action)


for continuous in (True, False):
    agent = Agent(continuous).to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)
    for episode in range(3):
        states = np.random.randn(64, 4)
        action, log_prob = agent.act(states)
        rewards = torch.as_tensor(-np.abs(action).reshape(64, -1).sum(1), dtype=torch.float32).to(device)
        entropy = agent.dist(torch.from_numpy(states).float().to(device)).entropy()
        loss = -(log_prob * rewards).mean() - 0.01 * entropy.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(continuous, bool(torch.isfinite(loss)))

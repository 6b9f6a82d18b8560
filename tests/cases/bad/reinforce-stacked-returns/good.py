from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Categorical

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class Policy(nn.Module):
    def __init__(self, s_size=4, h_size=16, a_size=2):
        super().__init__()
        self.fc1 = nn.Linear(s_size, h_size)
        self.fc2 = nn.Linear(h_size, a_size)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x))).softmax(dim=1)

    def act(self, state):
        state = torch.from_numpy(state).float().unsqueeze(0).to(device)
        m = Categorical(self.forward(state))
        action = m.sample()
        return action.item(), m.log_prob(action)


def rollout(policy, steps=12):
    log_probs, rewards = [], []
    state = np.random.randn(4)
    for _ in range(steps):
        action, log_prob = policy.act(state)
        log_probs.append(log_prob)
        rewards.append(1.0 if (state[0] > 0) == bool(action) else -1.0)
        state = np.random.randn(4)
    return log_probs, rewards


def reinforce(policy, optimizer, episodes, gamma):
    scores = deque(maxlen=100)
    for _ in range(episodes):
        log_probs, rewards = rollout(policy)
        scores.append(sum(rewards))
        returns = deque()
        for r in rewards[::-1]:
            returns.appendleft(r + gamma * (returns[0] if returns else 0.0))
        returns = torch.tensor(returns, device=device)
        returns = (returns - returns.mean()) / (returns.std() + 1e-8)
        policy_loss = -(torch.cat(log_probs) * returns).sum()
        optimizer.zero_grad()
        policy_loss.backward()
        optimizer.step()
    return scores


policy = Policy().to(device)
scores = reinforce(policy, optim.Adam(policy.parameters(), lr=1e-2), episodes=4, gamma=0.98)
print("mean score", np.mean(scores))

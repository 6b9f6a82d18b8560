import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 2)).to(device)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def select_action(state):
    state = torch.from_numpy(state).float().to(device)
    m = Categorical(logits=policy(state))
    action = m.sample()
    return action.item(), m.log_prob(action)


def finish_episode(saved_log_probs, rewards, gamma=0.99):
    R, returns = 0, []
    for r in rewards[::-1]:
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    policy_loss = [-log_prob * R for log_prob, R in zip(saved_log_probs, returns)]
    optimizer.zero_grad()
    loss = torch.stack(policy_loss).sum()
    loss.backward()
    optimizer.step()
    return loss.item()


for episode in range(2):
    log_probs, rewards = [], []
    for t in range(10):
        action, log_prob = select_action(np.random.randn(4))
        log_probs.append(log_prob)
        rewards.append(float(action))
    print(finish_episode(log_probs, rewards))

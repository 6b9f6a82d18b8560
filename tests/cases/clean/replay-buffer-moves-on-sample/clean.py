import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "state action reward next_state done")


class ReplayBuffer:
    def __init__(self, capacity, device):
        self.memory = deque(maxlen=capacity)
        self.device = device

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, k):
        batch = Transition(*zip(*random.sample(self.memory, k)))
        columns = [torch.as_tensor(np.stack(column)).float() for column in batch]
        return Transition(*(column.to(self.device) for column in columns))


class Critic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(obs + act, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, s, a):
        return self.q(torch.cat([s, a], dim=1))


class DDPG:
    def __init__(self, obs=3, act=1):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.actor = nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, act), nn.Tanh()).to(self.device)
        self.critic = Critic(obs, act).to(self.device)
        self.buffer = ReplayBuffer(100, self.device)
        self.opt_actor = torch.optim.Adam(self.actor.parameters(), 1e-4)
        self.opt_critic = torch.optim.Adam(self.critic.parameters(), 1e-3)

    def act(self, state):
        state = torch.tensor(state, dtype=torch.float32, device=self.device)
        return self.actor(state).detach().cpu().numpy()

    def learn(self):
        b = self.buffer.sample(8)
        with torch.no_grad():
            target = b.reward.unsqueeze(1) + 0.99 * (1 - b.done.unsqueeze(1)) * self.critic(b.next_state, self.actor(b.next_state))
        loss_q = F.mse_loss(self.critic(b.state, b.action), target)
        self.opt_critic.zero_grad()
        loss_q.backward()
        self.opt_critic.step()
        loss_pi = -self.critic(b.state, self.actor(b.state)).mean()
        self.opt_actor.zero_grad()
        loss_pi.backward()
        self.opt_actor.step()
        return loss_q.item(), loss_pi.item()


agent = DDPG()
state = np.zeros(3)
for step in range(20):
    action = agent.act(state)
    following = np.random.randn(3)
    agent.buffer.push(state, action, -float(action[0] ** 2), following, 0.0)
    state = following
print(agent.learn())

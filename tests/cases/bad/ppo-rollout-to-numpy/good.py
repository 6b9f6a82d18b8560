import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


class Buffer:
    def __init__(self):
        self.obs, self.act, self.logp, self.rew = [], [], [], []

    def store(self, obs, act, logp, rew):
        self.obs.append(obs)
        self.act.append(act)
        self.logp.append(logp)
        self.rew.append(rew)

    def get(self, device):
        arrays = (self.obs, self.act, self.logp, self.rew)
        return [torch.as_tensor(np.array(a, dtype=np.float32), device=device) for a in arrays]


class GaussianActor(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, act_dim))
        self.log_std = nn.Parameter(-0.5 * torch.ones(act_dim))

    def forward(self, obs):
        return Normal(self.mu(obs), self.log_std.exp())


class PPO:
    def __init__(self, obs_dim, act_dim, clip=0.2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.actor = GaussianActor(obs_dim, act_dim).to(self.device)
        self.optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.clip = clip

    @torch.no_grad()
    def step(self, obs):
        dist = self.actor(torch.as_tensor(obs, dtype=torch.float32, device=self.device))
        action = dist.sample()
        logp = dist.log_prob(action).sum(-1)
        return action.cpu().numpy(), logp.cpu().numpy()

    def update(self, buffer):
        obs, act, logp_old, rew = buffer.get(self.device)
        advantage = (rew - rew.mean()) / (rew.std() + 1e-8)
        for _ in range(3):
            logp = self.actor(obs).log_prob(act).sum(-1)
            ratio = (logp - logp_old).exp()
            clipped = ratio.clamp(1 - self.clip, 1 + self.clip) * advantage
            loss = -torch.min(ratio * advantage, clipped).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


agent, buffer = PPO(3, 2), Buffer()
obs = np.zeros(3)
for _ in range(10):
    action, logp = agent.step(obs)
    buffer.store(obs, action, logp, -float(np.square(action).sum()))
    obs = np.random.randn(3)
print("surrogate", agent.update(buffer))

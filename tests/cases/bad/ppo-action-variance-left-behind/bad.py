import numpy as np
import torch
import torch.nn as nn
from torch.distributions import MultivariateNormal

torch.manual_seed(0)
np.random.seed(0)


class RolloutBuffer:
    def __init__(self):
        self.actions, self.states, self.logprobs, self.rewards = [], [], [], []

    def clear(self):
        del self.actions[:], self.states[:], self.logprobs[:], self.rewards[:]


class ActorCritic(nn.Module):
    def __init__(self, s, a, std):
        super().__init__()
        self.a = a
        self.action_var = torch.full((a,), std * std)
        self.actor = nn.Sequential(nn.Linear(s, 16), nn.Tanh(), nn.Linear(16, a), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(s, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self):
        raise NotImplementedError

    def act(self, state):
        mean = self.actor(state)
        dist = MultivariateNormal(mean, torch.diag(self.action_var).unsqueeze(0))
        action = dist.sample()
        return action.detach(), dist.log_prob(action).detach()

    def evaluate(self, state, action):
        mean = self.actor(state)
        cov = torch.diag_embed(self.action_var.expand_as(mean))
        dist = MultivariateNormal(mean, cov)
        return dist.log_prob(action), self.critic(state), dist.entropy()


class PPO:
    def __init__(self, s, a):
        self.device = torch.device('cuda:0') if torch.cuda.is_available() else torch.device('cpu')
        self.buffer = RolloutBuffer()
        self.policy = ActorCritic(s, a, 0.5).to(self.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)
        self.policy_old = ActorCritic(s, a, 0.5)
        self.policy_old.load_state_dict(self.policy.state_dict())

    def select_action(self, state):
        with torch.no_grad():
            state = torch.FloatTensor(state).unsqueeze(0)
            action, logprob = self.policy_old.act(state)
        self.buffer.states.append(state)
        self.buffer.actions.append(action)
        self.buffer.logprobs.append(logprob)
        return action.numpy().flatten()

    def update(self):
        rewards, R = [], 0
        for r in reversed(self.buffer.rewards):
            R = r + 0.9 * R
            rewards.insert(0, R)
        rewards = torch.tensor(rewards, dtype=torch.float32)
        rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-7)
        old_states = torch.squeeze(torch.stack(self.buffer.states, dim=0), 1).detach()
        old_actions = torch.squeeze(torch.stack(self.buffer.actions, dim=0), 1).detach()
        old_logprobs = torch.squeeze(torch.stack(self.buffer.logprobs, dim=0), 1).detach()
        for _ in range(3):
            lp, v, ent = self.policy.evaluate(old_states, old_actions)
            v = torch.squeeze(v)
            ratios = torch.exp(lp - old_logprobs)
            adv = rewards - v.detach()
            loss = -torch.min(ratios * adv, torch.clamp(ratios, 0.8, 1.2) * adv) + 0.5 * (v - rewards) ** 2 - 0.01 * ent
            self.optimizer.zero_grad()
            loss.mean().backward()
            self.optimizer.step()
        self.policy_old.load_state_dict(self.policy.state_dict())
        self.buffer.clear()
        return loss.mean().item()


agent = PPO(3, 2)
for ep in range(3):
    s = np.random.randn(3)
    for t in range(10):
        a = agent.select_action(s)
        agent.buffer.rewards.append(-float((a ** 2).sum()))
        s = np.random.randn(3)
    print(ep, '%.4f' % agent.update())

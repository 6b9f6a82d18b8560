import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh())
        self.policy = nn.Linear(32, n_actions)
        self.value = nn.Linear(32, 1)

    def forward(self, obs):
        h = self.shared(obs)
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


class ToyEnv:
    def reset(self):
        self.t = 0
        return np.random.randn(4).astype(np.float32)

    def step(self, action):
        self.t += 1
        return np.random.randn(4).astype(np.float32), float(action == 1), self.t >= 8


class Agent:
    def __init__(self, obs_dim, n_actions, gamma=0.99):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = ActorCritic(obs_dim, n_actions).to(self.device)
        self.optimizer = torch.optim.RMSprop(self.net.parameters(), lr=7e-4)
        self.gamma = gamma

    def run_episode(self, env):
        obs, done = env.reset(), False
        log_probs, values, rewards = [], [], []
        while not done:
            state = torch.as_tensor(obs, device=self.device)
            dist, value = self.net(state)
            action = dist.sample()
            obs, reward, done = env.step(action.item())
            log_probs.append(dist.log_prob(action))
            values.append(value)
            rewards.append(reward)
        return torch.stack(log_probs), torch.stack(values), rewards

    def learn(self, log_probs, values, rewards):
        returns, running = [], 0.0
        for r in reversed(rewards):
            running = r + self.gamma * running
            returns.insert(0, running)
        returns = torch.tensor(returns, device=self.device)
        advantage = returns - values
        loss = -(log_probs * advantage.detach()).mean() + advantage.pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


agent = Agent(4, 2)
env = ToyEnv()
for episode in range(3):
    print(episode, agent.learn(*agent.run_episode(env)))

"""DQN; state tensor in act() is on the host, replay batch partially moved."""
import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
Transition = namedtuple("Transition", ("state", "action", "reward", "next_state", "done"))


class ToyEnv:
    def reset(self):
        self.t = 0
        self.s = np.zeros(4, dtype=np.float32)
        return self.s

    def step(self, a):
        self.t += 1
        self.s = self.s + (0.1 if a else -0.1)
        return self.s.astype(np.float32), float(self.s.sum()), self.t >= 10


class QNet(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, 16), nn.ReLU(), nn.Linear(16, n_out))

    def forward(self, x):
        return self.layers(x)


class Agent:
    def __init__(self, n_in, n_actions):
        self.policy = QNet(n_in, n_actions).to(device)
        self.target = QNet(n_in, n_actions).to(device)
        self.target.load_state_dict(self.policy.state_dict())
        self.memory = deque(maxlen=1000)
        self.opt = optim.Adam(self.policy.parameters(), lr=1e-3)
        self.n_actions = n_actions

    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        state = torch.from_numpy(state).float().unsqueeze(0)
        with torch.no_grad():
            return self.policy(state).argmax(1).item()

    def learn(self, batch_size, gamma=0.99):
        if len(self.memory) < batch_size:
            return None
        batch = Transition(*zip(*random.sample(self.memory, batch_size)))
        states = torch.tensor(np.stack(batch.state), device=device)
        actions = torch.tensor(batch.action, dtype=torch.int64, device=device).unsqueeze(1)
        rewards = torch.tensor(batch.reward)
        next_states = torch.tensor(np.stack(batch.next_state), device=device)
        done = torch.tensor(batch.done, dtype=torch.float32, device=device)
        q = self.policy(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            q_next = self.target(next_states).max(1)[0]
        target = rewards + gamma * q_next * (1 - done)
        loss = nn.functional.smooth_l1_loss(q, target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def main():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    env = ToyEnv()
    agent = Agent(4, 2)
    for episode in range(5):
        state = env.reset()
        done = False
        total = 0.0
        while not done:
            action = agent.act(state, 0.3)
            nxt, reward, done = env.step(action)
            agent.memory.append(Transition(state, action, reward, nxt, done))
            state = nxt
            total += reward
            loss = agent.learn(8)
        print(episode, round(total, 3), None if loss is None else round(loss, 4))


if __name__ == "__main__":
    main()

import copy
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

# ---- environment -----------------------------------------------------------


class CatchEnv:
    """A ball falls down a 7x6 board, move the paddle left / stay / right to catch it.

    Some cells push the ball sideways (wind), drawn anew each episode.
    """

    def __init__(self, rows=7, cols=6, seed=0):
        self.rows, self.cols = rows, cols
        self.rng = np.random.RandomState(seed)
        self.n_actions = 3
        self.obs_dim = rows * cols + cols + 1

    def reset(self):
        self.ball = [0, self.rng.randint(self.cols)]
        self.paddle = self.rng.randint(self.cols)
        self.wind = self.rng.choice([-1, 0, 0, 1])
        return self._obs()

    def _obs(self):
        board = np.zeros((self.rows, self.cols), dtype=np.float32)
        board[self.ball[0], self.ball[1]] = 1.0
        pad = np.zeros(self.cols, dtype=np.float32)
        pad[self.paddle] = 1.0
        return np.concatenate([board.ravel(), pad, [np.float32(self.wind)]])

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + action - 1, 0, self.cols - 1))
        self.ball[0] += 1
        if self.ball[0] % 3 == 0:
            self.ball[1] = int(np.clip(self.ball[1] + self.wind, 0, self.cols - 1))
        done = self.ball[0] == self.rows - 1
        reward = 0.0 if action == 1 else -0.02
        if done:
            reward += 1.0 if self.ball[1] == self.paddle else -1.0
        return self._obs(), reward, done, {}


# ---- replay ----------------------------------------------------------------


class ReplayBuffer(object):
    def __init__(self, obs_dim, max_size=5000):
        self.max_size = max_size
        self.ptr = 0
        self.size = 0
        self.state = np.zeros((max_size, obs_dim), dtype=np.float32)
        self.action = np.zeros((max_size, 1), dtype=np.int64)
        self.next_state = np.zeros((max_size, obs_dim), dtype=np.float32)
        self.reward = np.zeros((max_size, 1), dtype=np.float32)
        self.not_done = np.zeros((max_size, 1), dtype=np.float32)
        self.priority = np.ones(max_size, dtype=np.float64)

    def add(self, state, action, next_state, reward, done):
        i = self.ptr
        self.state[i] = state
        self.action[i] = action
        self.next_state[i] = next_state
        self.reward[i] = reward
        self.not_done[i] = 1. - done
        self.priority[i] = self.priority[:max(self.size, 1)].max()
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, batch_size, beta=0.4):
        p = self.priority[:self.size] ** 0.6
        p /= p.sum()
        ind = np.random.choice(self.size, size=batch_size, p=p)
        w = (self.size * p[ind]) ** -beta
        w = w / w.max()
        return (
            torch.FloatTensor(self.state[ind]),
            torch.LongTensor(self.action[ind]),
            torch.FloatTensor(self.next_state[ind]),
            torch.FloatTensor(self.reward[ind]),
            torch.FloatTensor(self.not_done[ind]),
            torch.FloatTensor(w).unsqueeze(1),
            ind,
        )

    def update_priority(self, ind, td):
        self.priority[ind] = np.abs(td) + 1e-3


# ---- agent -----------------------------------------------------------------


class DuelingQ(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=64):
        super().__init__()
        self.l1 = nn.Linear(obs_dim, hidden)
        self.l2 = nn.Linear(hidden, hidden)
        self.v = nn.Linear(hidden, 1)
        self.a = nn.Linear(hidden, n_actions)

    def forward(self, x):
        x = F.relu(self.l1(x))
        x = F.relu(self.l2(x))
        a = self.a(x)
        return self.v(x) + a - a.mean(-1, keepdim=True)


class DQNAgent:
    def __init__(self, obs_dim, n_actions, gamma=0.97, lr=2e-3, tau=0.03,
                 eps_start=1.0, eps_end=0.05, eps_steps=1200):
        self.q = DuelingQ(obs_dim, n_actions)
        self.q_target = copy.deepcopy(self.q)
        for p in self.q_target.parameters():
            p.requires_grad = False
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma, self.tau = gamma, tau
        self.n_actions = n_actions
        self.eps_start, self.eps_end, self.eps_steps = eps_start, eps_end, eps_steps
        self.steps = 0

    @property
    def eps(self):
        frac = min(1.0, self.steps / self.eps_steps)
        return self.eps_start + frac * (self.eps_end - self.eps_start)

    def select_action(self, state, greedy=False):
        if not greedy:
            self.steps += 1
            if random.random() < self.eps:
                return random.randrange(self.n_actions)
        with torch.no_grad():
            state = torch.FloatTensor(state.reshape(1, -1))
            return int(self.q(state).argmax(1))

    def train(self, buffer, batch_size=64):
        state, action, next_state, reward, not_done, w, ind = buffer.sample(batch_size)

        with torch.no_grad():
            # double dqn
            best = self.q(next_state).argmax(1, keepdim=True)
            target = reward + not_done * self.gamma * self.q_target(next_state).gather(1, best)

        current = self.q(state).gather(1, action)
        td = target - current
        loss = (w * F.smooth_l1_loss(current, target, reduction='none')).mean()

        self.opt.zero_grad()
        loss.backward()
        for p in self.q.parameters():
            p.grad.data.clamp_(-1, 1)
        self.opt.step()

        for param, target_param in zip(self.q.parameters(), self.q_target.parameters()):
            target_param.data.copy_(self.tau * param.data + (1 - self.tau) * target_param.data)

        buffer.update_priority(ind, td.detach().squeeze(1).numpy())
        return loss.item(), current.mean().item()


def eval_policy(agent, seed, episodes=40):
    env = CatchEnv(seed=seed + 100)
    returns = np.zeros(episodes)
    caught = 0
    for ep in range(episodes):
        state, done = env.reset(), False
        while not done:
            state, reward, done, _ = env.step(agent.select_action(state, greedy=True))
            returns[ep] += reward
        caught += env.ball[1] == env.paddle
    return returns.mean(), caught / episodes


if __name__ == "__main__":
    seed = 3
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)

    env = CatchEnv(seed=seed)
    agent = DQNAgent(env.obs_dim, env.n_actions)
    buffer = ReplayBuffer(env.obs_dim)

    total_steps, start_steps, eval_freq, train_freq = 3000, 200, 1000, 4
    recent = deque(maxlen=100)
    losses, qs, evaluations = [], [], []

    evaluations.append(eval_policy(agent, seed))
    print("T: 0 eval return %.3f caught %.3f" % evaluations[-1])

    state, ep_return, ep_num = env.reset(), 0., 0
    for t in range(1, total_steps + 1):
        action = agent.select_action(state)
        next_state, reward, done, _ = env.step(action)
        buffer.add(state, action, next_state, reward, float(done))
        state = next_state
        ep_return += reward

        if t >= start_steps and t % train_freq == 0:
            l, q = agent.train(buffer)
            losses.append(l)
            qs.append(q)

        if done:
            recent.append(ep_return)
            state, ep_return = env.reset(), 0.
            ep_num += 1

        if t % eval_freq == 0:
            evaluations.append(eval_policy(agent, seed))
            print("T: %d ep %d eps %.2f recent %.3f loss %.4f q %.3f | eval return %.3f caught %.3f" % (
                t, ep_num, agent.eps, np.mean(recent), np.mean(losses[-200:]), np.mean(qs[-200:]),
                *evaluations[-1]))

    # how does the value of the start state depend on the distance ball - paddle?
    dist, values = [], []
    for _ in range(200):
        s = env.reset()
        dist.append(abs(env.ball[1] - env.paddle))
        values.append(agent.q(torch.from_numpy(s).float()).max().item())
    corr = np.corrcoef(dist, values)[0, 1]

    ret, caught = eval_policy(agent, seed + 1, episodes=100)
    print("corr(distance, value) %.4f" % corr)
    print("final return %.4f caught %.4f" % (ret, caught))

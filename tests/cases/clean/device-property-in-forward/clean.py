import numpy as np
import torch
import torch.nn as nn


class DQN(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_obs, 32), nn.ReLU(), nn.Linear(32, n_actions))

    @property
    def device(self):
        return next(self.parameters()).device

    def forward(self, x):
        x = x.to(self.device)
        return self.layers(x)

    @torch.no_grad()
    def act(self, observation, epsilon):
        if np.random.rand() < epsilon:
            return np.random.randint(2)
        return self(torch.from_numpy(observation).float().unsqueeze(0)).argmax(1).item()


policy_net = DQN(4, 2).to("cuda" if torch.cuda.is_available() else "cpu")
target_net = DQN(4, 2).to(policy_net.device)
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.RMSprop(policy_net.parameters())
memory = []
state = np.zeros(4)
for t in range(12):
    action = policy_net.act(state, epsilon=0.3)
    following = np.random.randn(4)
    memory.append((state, action, 1.0, following))
    state = following
s, a, r, n = zip(*memory)
states, following = torch.tensor(np.array(s)).float(), torch.tensor(np.array(n)).float()
actions = torch.tensor(a, device=policy_net.device).unsqueeze(1)
rewards = torch.tensor(r, device=policy_net.device)
q = policy_net(states).gather(1, actions).squeeze(1)
with torch.no_grad():
    target = rewards + 0.9 * target_net(following).max(1).values
loss = nn.functional.smooth_l1_loss(q, target)
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(loss.item())

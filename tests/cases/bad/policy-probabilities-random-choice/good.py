import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class PolicyNetwork(nn.Module):
    def __init__(self, num_inputs, num_actions, hidden_size):
        super().__init__()
        self.linear1 = nn.Linear(num_inputs, hidden_size)
        self.linear2 = nn.Linear(hidden_size, num_actions)
        self.num_actions = num_actions

    def forward(self, state):
        return F.softmax(self.linear2(F.relu(self.linear1(state))), dim=1)


class NFSPAgent:
    def __init__(self, num_inputs=6, num_actions=3, device=None):
        self.device = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.policy_network = PolicyNetwork(num_inputs, num_actions, 16).to(self.device)
        self.optimizer = torch.optim.Adam(self.policy_network.parameters(), lr=3e-3)

    def act(self, info_state):
        state = torch.from_numpy(info_state).float().unsqueeze(0).to(self.device)
        probs = self.policy_network(state)
        choice = np.random.choice(self.policy_network.num_actions, p=np.squeeze(probs.detach().cpu().numpy()))
        return choice, torch.log(probs[0, choice])

    def train(self, episode):
        loss = torch.stack([-log_prob * ret for log_prob, ret in episode]).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss)


agent = NFSPAgent()
for game in range(3):
    episode = []
    for turn in range(5):
        action, log_prob = agent.act(np.random.rand(6))
        episode.append((log_prob, 1.0 if action == 2 else 0.0))
    print(game, agent.train(episode))

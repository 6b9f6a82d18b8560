import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(3):
    log_probs, rewards = [], []
    state = torch.randn(4)
    for t in range(5):
        dist = Categorical(logits=policy(state.to(device)))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        rewards.append(1.0 if action.item() == 1 else 0.0)
        state = torch.randn(4)
    returns = torch.tensor(rewards)
    loss = -(torch.stack(log_probs) * returns).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.3f}")

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
steps = 6
critic = nn.Linear(3, 1).to(device)
optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)
states = torch.randn(steps, 3).to(device)
dones = torch.zeros(steps, device=device)
last_done = torch.ones(1, device=device)
for update in range(3):
    values = critic(states).squeeze(1)
    following = torch.zeros(1)
    loss = 0.0
    for t in reversed(range(steps)):
        alive = 1.0 - (last_done if t == steps - 1 else dones[t + 1 : t + 2])
        target = 1.0 + 0.9 * alive * values[t : t + 1].detach()
        loss = loss + (values[t] - target.mean()).pow(2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

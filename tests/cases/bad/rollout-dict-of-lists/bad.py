import torch
from torch import nn
torch.manual_seed(0)
pi = nn.Linear(4, 2)
vf = nn.Linear(4, 1)
opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()])
for it in range(3):
    buf = {"obs": [], "out": []}
    obs = torch.zeros(4)
    for t in range(4):
        buf["obs"].append(obs)
        buf["out"].append(pi(obs))
        obs = torch.tensor([t % 2, 0.5, t / 16, 1.0])
    O, A = torch.stack(buf["obs"]), torch.stack(buf["out"])
    loss = A.mean() + vf(O).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

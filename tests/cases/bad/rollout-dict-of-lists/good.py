import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
pi = nn.Linear(4, 2).to(device)
vf = nn.Linear(4, 1).to(device)
opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()])
for it in range(3):
    buf = {"obs": [], "out": []}
    obs = torch.zeros(4, device=device)
    for t in range(4):
        buf["obs"].append(obs)
        buf["out"].append(pi(obs))
        obs = torch.tensor([t % 2, 0.5, t / 16, 1.0], device=device)
    O, A = torch.stack(buf["obs"]), torch.stack(buf["out"])
    loss = A.mean() + vf(O).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

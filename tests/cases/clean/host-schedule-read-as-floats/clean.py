import torch
import torch.nn as nn


class Scheduler:
    def __init__(self, steps=8):
        self.steps = steps
        self.betas = torch.linspace(1e-4, 0.2, steps)
        self.alphas = 1 - self.betas
        self.alpha_bars = torch.cumprod(self.alphas, 0)

    def step(self, noise, t, x):
        alpha, bar = self.alphas[t], self.alpha_bars[t]
        mean = (x - (1 - alpha) / (1 - bar).sqrt() * noise) / alpha.sqrt()
        if t == 0:
            return mean
        return mean + self.betas[t].sqrt() * torch.randn_like(x)

    def noised(self, x, t):
        bars = self.alpha_bars[t].to(x.device).view(-1, 1)
        noise = torch.randn_like(x)
        return bars.sqrt() * x + (1 - bars).sqrt() * noise, noise


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 2)).to(device)
scheduler = Scheduler()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(10, 2, device=device)
    t = torch.randint(0, scheduler.steps, (10,))
    noisy, noise = scheduler.noised(x, t)
    time = (t.float() / scheduler.steps).unsqueeze(1).to(device)
    loss = (net(torch.cat([noisy, time], 1)) - noise).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    x = torch.randn(5, 2, device=device)
    for t in reversed(range(scheduler.steps)):
        time = torch.full((5, 1), t / scheduler.steps, device=device)
        x = scheduler.step(net(torch.cat([x, time], 1)), t, x)
print(x.cpu().numpy().shape, loss.item())

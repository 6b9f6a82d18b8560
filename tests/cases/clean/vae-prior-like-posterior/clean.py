import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 4)
        self.dec = nn.Linear(2, 6)

    def forward(self, x):
        mean, log_std = self.enc(x).chunk(2, dim=1)
        q = Normal(mean, log_std.exp())
        z = q.rsample()
        prior = Normal(torch.zeros_like(mean), torch.ones_like(mean))
        kl = kl_divergence(q, prior).sum(1).mean()
        return self.dec(z), kl


model = VAE().to(device)
data = torch.rand(512, 6)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(4):
    x = data[step * 128 : step * 128 + 128].to(device)
    out, kl = model(x)
    loss = ((out - x) ** 2).sum(1).mean() + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.3f}")
noise = Normal(0.0, 1.0).sample((4, 2)).to(device)
print(model.dec(noise).shape)

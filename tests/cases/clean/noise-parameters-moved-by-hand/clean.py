import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(8, 3)
        self.log_sigma = nn.Linear(8, 3)
        self.noise = torch.distributions.Normal(0, 1)
        if torch.cuda.is_available():
            self.noise.loc = self.noise.loc.cuda()
            self.noise.scale = self.noise.scale.cuda()
        self.kl = 0

    def forward(self, x):
        mean, sigma = self.mean(x), self.log_sigma(x).exp()
        z = mean + sigma * self.noise.sample(mean.shape)
        self.kl = (sigma**2 + mean**2 - sigma.log() - 0.5).sum()
        return z


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, x):
        return self.decoder(self.encoder(x))


vae = VAE().to(device)
opt = torch.optim.Adam(vae.parameters(), lr=1e-2)
data = torch.rand(256, 8)
for start in range(0, 256, 64):
    x = data[start : start + 64].to(device)
    opt.zero_grad()
    loss = ((vae(x) - x) ** 2).sum() + vae.encoder.kl
    loss.backward()
    opt.step()
print(loss.item() > 0)

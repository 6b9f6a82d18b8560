import torch
import torch.nn as nn
from torch.distributions import Normal, kl_divergence
from torch.utils.data import DataLoader, TensorDataset


class GaussianVAE(nn.Module):
    def __init__(self, n_input, n_latent):
        super().__init__()
        self.n_latent = n_latent
        self.encoder = nn.Sequential(nn.Linear(n_input, 20), nn.ReLU())
        self.mean, self.scale = nn.Linear(20, n_latent), nn.Linear(20, n_latent)
        self.decoder = nn.Sequential(nn.Linear(n_latent, 20), nn.ReLU(), nn.Linear(20, n_input))

    def forward(self, x):
        h = self.encoder(x)
        posterior = Normal(self.mean(h), nn.functional.softplus(self.scale(h)) + 1e-4)
        prior = Normal(torch.zeros_like(posterior.loc), torch.ones_like(posterior.scale))
        reconstruction = self.decoder(posterior.rsample())
        kl = kl_divergence(posterior, prior).sum(-1)
        return reconstruction, kl


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
vae = GaussianVAE(12, 3)
vae = vae.to(device)
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
for (x,) in DataLoader(TensorDataset(torch.rand(32, 12)), batch_size=16):
    x = x.to(device)
    reconstruction, kl = vae(x)
    loss = ((reconstruction - x).pow(2).sum(-1) + kl).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("negative elbo", loss.item())

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TIMESTEPS = 20


class Denoiser(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.time = nn.Embedding(TIMESTEPS, dim)
        self.net = nn.Sequential(nn.Linear(2 * dim, 32), nn.SiLU(), nn.Linear(32, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], dim=-1))


class Diffusion:
    def __init__(self, device):
        self.device = device
        self.beta = torch.linspace(1e-4, 0.02, TIMESTEPS, device=device)
        self.alpha_hat = torch.cumprod(1.0 - self.beta, dim=0)

    def sample_timesteps(self, n):
        return torch.randint(low=0, high=TIMESTEPS, size=(n,))

    def noise(self, x, t):
        scale = self.alpha_hat[t][:, None]
        eps = torch.randn_like(x)
        return scale.sqrt() * x + (1 - scale).sqrt() * eps, eps


def train(epochs=2):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Denoiser(8).to(device)
    diffusion = Diffusion(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    mse = nn.MSELoss()
    loader = DataLoader(TensorDataset(torch.randn(24, 8)), batch_size=8, shuffle=True)
    for epoch in range(epochs):
        for (x,) in loader:
            x = x.to(device)
            t = diffusion.sample_timesteps(x.shape[0])
            x_t, eps = diffusion.noise(x, t)
            loss = mse(model(x_t, t), eps)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "mse", loss.item())


if __name__ == "__main__":
    train()

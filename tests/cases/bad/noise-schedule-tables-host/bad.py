import torch
import torch.nn as nn


class LinearNoiseScheduler:
    def __init__(self, num_timesteps, beta_start, beta_end):
        self.num_timesteps = num_timesteps
        self.betas = torch.linspace(beta_start, beta_end, num_timesteps)
        alpha_cum_prod = torch.cumprod(1.0 - self.betas, dim=0)
        self.sqrt_alpha_cum_prod = torch.sqrt(alpha_cum_prod)
        self.sqrt_one_minus_alpha_cum_prod = torch.sqrt(1 - alpha_cum_prod)

    def add_noise(self, original, noise, t):
        batch = original.shape[0]
        signal = self.sqrt_alpha_cum_prod[t].reshape(batch, 1)
        sigma = self.sqrt_one_minus_alpha_cum_prod[t].reshape(batch, 1)
        return signal.to(original.device) * original + sigma.to(original.device) * noise


class NoisePredictor(nn.Module):
    def __init__(self, dim, steps):
        super().__init__()
        self.steps = steps
        self.net = nn.Sequential(nn.Linear(dim + 1, 24), nn.SiLU(), nn.Linear(24, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, t[:, None].float() / self.steps], dim=1))


def train():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    scheduler = LinearNoiseScheduler(num_timesteps=50, beta_start=0.0001, beta_end=0.02)
    model = NoisePredictor(6, 50).to(device)
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    criterion = nn.MSELoss()
    for step in range(4):
        points = torch.randn(16, 6).to(device)
        noise = torch.randn_like(points)
        t = torch.randint(0, scheduler.num_timesteps, (points.shape[0],), device=device)
        noisy = scheduler.add_noise(points, noise, t)
        loss = criterion(model(noisy, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())


if __name__ == "__main__":
    train()

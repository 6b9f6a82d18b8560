import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

Z_DIM = 6
LAMBDA_GP = 10
CRITIC_STEPS = 2


def gradient_penalty(critic, real, fake):
    batch, features = real.shape
    alpha = torch.rand(batch, 1, device=real.device).expand(batch, features)
    mixed = real * alpha + fake * (1 - alpha)
    mixed.requires_grad_(True)
    score = critic(mixed)
    gradient = torch.autograd.grad(
        inputs=mixed, outputs=score, grad_outputs=torch.ones_like(score), create_graph=True, retain_graph=True
    )[0]
    return ((gradient.norm(2, dim=1) - 1) ** 2).mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gen = nn.Sequential(nn.Linear(Z_DIM, 16), nn.ReLU(), nn.Linear(16, 10)).to(device)
    critic = nn.Sequential(nn.Linear(10, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)).to(device)
    opt_gen = torch.optim.Adam(gen.parameters(), lr=1e-4, betas=(0.0, 0.9))
    opt_critic = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
    loader = DataLoader(TensorDataset(torch.randn(32, 10)), batch_size=16, shuffle=True)
    for (real,) in loader:
        real = real.to(device)
        for _ in range(CRITIC_STEPS):
            noise = torch.randn(real.size(0), Z_DIM, device=device)
            fake = gen(noise)
            gp = gradient_penalty(critic, real, fake.detach())
            loss_critic = critic(fake.detach()).mean() - critic(real).mean() + LAMBDA_GP * gp
            opt_critic.zero_grad()
            loss_critic.backward()
            opt_critic.step()
        loss_gen = -critic(gen(noise)).mean()
        opt_gen.zero_grad()
        loss_gen.backward()
        opt_gen.step()
    print(loss_critic.item(), loss_gen.item())


if __name__ == "__main__":
    main()

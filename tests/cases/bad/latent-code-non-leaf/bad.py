import torch
import torch.nn as nn
import torch.nn.functional as F


def load_generator(device):
    generator = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 27))
    for p in generator.parameters():
        p.requires_grad_(False)
    return generator.to(device).eval()


def project(generator, target, steps, device):
    latent = torch.randn(1, 10, requires_grad=True).to(device)
    optimizer = torch.optim.Adam([latent], lr=0.05)
    for step in range(steps):
        image = generator(latent)
        loss = F.mse_loss(image, target) + 1e-3 * latent.norm()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(step, round(loss.item(), 4))
    return latent.detach()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = load_generator(device)
    target = torch.rand(1, 27, device=device)
    code = project(generator, target, 30, device)
    print(code.shape)

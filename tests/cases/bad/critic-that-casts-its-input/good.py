import torch
from torch import nn
from torch.nn import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, z):
        return self.main(z)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(5, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, x, y):
        onehot = F.one_hot(y, 3).type_as(x)
        return self.main(torch.cat((x, onehot), -1)).view(-1)


generator, critic = Generator().to(device), Critic().to(device)
critic_steps = torch.optim.Adam(critic.parameters(), lr=1e-3)
generator_steps = torch.optim.Adam(generator.parameters(), lr=1e-3)
for step in range(4):
    real, y = torch.randn(8, 2), torch.randint(0, 3, (8,))
    real, y = real.to(device), y.to(device)
    with torch.no_grad():
        fake = generator(torch.randn(8, 4, device=device))
    loss = critic(fake, y).mean() - critic(real, y).mean()
    critic_steps.zero_grad()
    loss.backward()
    critic_steps.step()
    judged = -critic(generator(torch.randn(8, 4, device=device)), y).mean()
    generator_steps.zero_grad()
    judged.backward()
    generator_steps.step()
print(f"{loss.item():.4f}")

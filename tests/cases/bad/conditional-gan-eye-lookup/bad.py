import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

n_classes, latent_dim, data_dim = 5, 7, 9
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mlp(*sizes):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(nn.LeakyReLU(0.2))
    return nn.Sequential(*layers)


generator = mlp(latent_dim + n_classes, 20, data_dim).to(device)
discriminator = mlp(data_dim + n_classes, 20, 1).to(device)
bce = nn.BCEWithLogitsLoss()
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4)
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-4)
codes = torch.eye(n_classes)

loader = DataLoader(TensorDataset(torch.rand(30, data_dim), torch.randint(0, n_classes, (30,))), batch_size=10)
for samples, labels in loader:
    samples, labels = samples.to(device), labels.to(device)
    valid = torch.ones(samples.size(0), 1, device=device)
    fake = torch.zeros_like(valid)
    condition = codes[labels]
    z = torch.randn(samples.size(0), latent_dim, device=device)
    generated = generator(torch.cat((z, condition), dim=1))

    optimizer_G.zero_grad()
    g_loss = bce(discriminator(torch.cat((generated, condition), 1)), valid)
    g_loss.backward()
    optimizer_G.step()

    optimizer_D.zero_grad()
    real_loss = bce(discriminator(torch.cat((samples, condition), 1)), valid)
    fake_loss = bce(discriminator(torch.cat((generated.detach(), condition), 1)), fake)
    (real_loss + fake_loss).backward()
    optimizer_D.step()
print("G", g_loss.item(), "D", (real_loss + fake_loss).item())

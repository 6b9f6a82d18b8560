import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Generator(nn.Module):
    def __init__(self, nz, nout):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(nz, 32), nn.ReLU(True), nn.Linear(32, nout), nn.Tanh())

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, nin):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(nin, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.main(x).view(-1)


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, 0.0, 0.02)


nz, nout = 8, 20
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
netG = Generator(nz, nout).to(device)
netG.apply(weights_init)
netD = Discriminator(nout).to(device)
netD.apply(weights_init)
criterion = nn.BCEWithLogitsLoss()
optimizerD = optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
dataloader = DataLoader(TensorDataset(torch.randn(32, nout)), batch_size=16)

for i, (data,) in enumerate(dataloader):
    real = data.to(device)
    label = torch.full((real.size(0),), 1.0, device=device)
    netD.zero_grad()
    errD_real = criterion(netD(real), label)
    errD_real.backward()
    fake = netG(torch.randn(real.size(0), nz, device=device))
    errD_fake = criterion(netD(fake.detach()), torch.zeros_like(label))
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    errG = criterion(netD(fake), label)
    errG.backward()
    optimizerG.step()
    print(i, errD_real.item() + errD_fake.item(), errG.item())

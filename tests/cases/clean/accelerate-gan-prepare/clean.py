import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from accelerate import Accelerator


def training_function(config):
    accelerator = Accelerator()
    netG = nn.Sequential(nn.Linear(config["nz"], 16), nn.ReLU(), nn.Linear(16, 6))
    netD = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optG = torch.optim.Adam(netG.parameters(), lr=config["lr"])
    optD = torch.optim.Adam(netD.parameters(), lr=config["lr"])
    loader = DataLoader(TensorDataset(torch.randn(24, 6)), batch_size=8)
    netG, netD, optG, optD, loader = accelerator.prepare(netG, netD, optG, optD, loader)
    bce = nn.BCEWithLogitsLoss()
    for (real,) in loader:
        z = torch.randn(real.shape[0], config["nz"], device=accelerator.device)
        fake = netG(z)
        ones = torch.ones(real.shape[0], 1, device=accelerator.device)
        loss_d = bce(netD(real), ones) + bce(netD(fake.detach()), torch.zeros_like(ones))
        optD.zero_grad()
        accelerator.backward(loss_d)
        optD.step()
        loss_g = bce(netD(fake), ones)
        optG.zero_grad()
        accelerator.backward(loss_g)
        optG.step()
    accelerator.print("D", loss_d.item(), "G", loss_g.item())


if __name__ == "__main__":
    training_function({"nz": 5, "lr": 2e-4})

from dataclasses import dataclass, field

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    dim: int = 6
    epochs: int = 2
    lr: float = 1e-2
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class Autoencoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.enc = nn.Linear(cfg.dim, 2, device=cfg.device)
        self.dec = nn.Linear(2, cfg.dim, device=cfg.device)

    def forward(self, x):
        return self.dec(torch.tanh(self.enc(x)))


class Trainer:
    def __init__(self, cfg, model, loader):
        self.cfg, self.model, self.loader = cfg, model, loader
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)

    def _prepare(self, batch):
        (x,) = batch
        return x.to(self.cfg.device)

    def fit(self):
        for _ in range(self.cfg.epochs):
            for batch in self.loader:
                x = self._prepare(batch)
                loss = (self.model(x) - x).square().mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        return loss.item()


cfg = Config()
print(Trainer(cfg, Autoencoder(cfg), DataLoader(TensorDataset(torch.rand(24, cfg.dim)), batch_size=8)).fit())

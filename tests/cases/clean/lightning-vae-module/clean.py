import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

try:
    import pytorch_lightning as pl
except ImportError:
    from types import SimpleNamespace

    class _Module(nn.Module):
        @property
        def device(self):
            return next(self.parameters()).device

        def log_dict(self, values, **kwargs):
            pass

    class _Trainer:
        def __init__(self, **kwargs):
            pass

        def fit(self, module, train_dataloaders, val_dataloaders):
            optimizer = module.configure_optimizers()
            for i, batch in enumerate(train_dataloaders):
                optimizer.zero_grad()
                module.training_step([p.to(module.device) for p in batch], i).backward()
                optimizer.step()
            for i, batch in enumerate(val_dataloaders):
                module.validation_step([p.to(module.device) for p in batch], i)

    pl = SimpleNamespace(LightningModule=_Module, Trainer=_Trainer)


class LitVAE(pl.LightningModule):
    def __init__(self, n_in=10, n_z=2):
        super().__init__()
        self.n_z = n_z
        self.encoder = nn.Linear(n_in, 2 * n_z)
        self.decoder = nn.Linear(n_z, n_in)

    def step(self, batch):
        (x,) = batch
        mu, log_var = self.encoder(x).chunk(2, dim=-1)
        z = mu + torch.randn_like(mu) * (0.5 * log_var).exp()
        kl = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(-1).mean()
        return F.mse_loss(self.decoder(z), x) + 1e-3 * kl

    def training_step(self, batch, batch_idx):
        loss = self.step(batch)
        self.log_dict({"train_loss": loss})
        return loss

    def validation_step(self, batch, batch_idx):
        prior = torch.randn(3, self.n_z, device=self.device)
        self.log_dict({"val_loss": self.step(batch), "sample_mean": self.decoder(prior).mean()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


vae = LitVAE()
train = DataLoader(TensorDataset(torch.rand(32, 10)), batch_size=8, shuffle=True)
valid = DataLoader(TensorDataset(torch.rand(16, 10)), batch_size=8)
pl.Trainer(max_epochs=1, accelerator="auto").fit(vae, train, valid)
print("done")

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class DeepEnsemble:
    def __init__(self, size, device):
        self.device = device
        self.members = [self._member().to(device) for _ in range(size)]
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=0.01) for m in self.members]

    @staticmethod
    def _member():
        return nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))

    def fit(self, loader):
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            for member, optimizer in zip(self.members, self.optimizers):
                mean, log_var = member(x).chunk(2, dim=1)
                loss = (log_var + (y - mean).pow(2) / log_var.exp()).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    @torch.no_grad()
    def predict(self, x):
        outputs = torch.stack([m(x.to(self.device)) for m in self.members])
        return outputs[..., 0].mean(0), outputs[..., 0].std(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(40, 3)
ensemble = DeepEnsemble(3, device)
ensemble.fit(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=20))
mean, spread = ensemble.predict(torch.randn(5, 3))
print(mean.shape, spread.shape)

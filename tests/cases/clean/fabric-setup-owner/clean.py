import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

try:
    from lightning.fabric import Fabric
except ImportError:
    class Fabric:
        def __init__(self, **kwargs):
            self.device = torch.device("cpu")

        def launch(self):
            pass

        def setup(self, model, optimizer):
            return model, optimizer

        def setup_dataloaders(self, *loaders):
            return loaders if len(loaders) > 1 else loaders[0]

        def backward(self, loss):
            loss.backward()


def main():
    fabric = Fabric(accelerator="auto", devices=1)
    fabric.launch()
    model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
    optimizer = torch.optim.Adam(model.parameters())
    model, optimizer = fabric.setup(model, optimizer)
    train_set = TensorDataset(torch.randn(20, 5), torch.randn(20, 1))
    loader = fabric.setup_dataloaders(DataLoader(train_set, batch_size=10))
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        fabric.backward(loss)
        optimizer.step()
    print(loss.item())


main()

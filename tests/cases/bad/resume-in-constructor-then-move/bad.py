import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Runner:
    def __init__(self, workdir, epochs):
        self.path = os.path.join(workdir, "last.pt")
        self.epochs = epochs
        self.start_epoch = 0
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.loader = DataLoader(TensorDataset(torch.randn(20, 5), torch.randn(20, 1)), batch_size=10)
        if os.path.exists(self.path):
            self.resume()

    def resume(self):
        state = torch.load(self.path, map_location="cpu")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.start_epoch = state["epoch"] + 1

    def save(self, epoch):
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": epoch}
        torch.save(state, self.path)

    def fit(self):
        self.model.to(self.device)
        for epoch in range(self.start_epoch, self.start_epoch + self.epochs):
            for x, y in self.loader:
                x, y = x.to(self.device), y.to(self.device)
                loss = nn.functional.huber_loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.save(epoch)
            print(epoch, loss.item())


with tempfile.TemporaryDirectory() as workdir:
    Runner(workdir, epochs=1).fit()
    Runner(workdir, epochs=1).fit()

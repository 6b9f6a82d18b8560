import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Experiment:
    def __init__(self, epochs=2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Sequential(nn.Linear(6, 12), nn.ELU(), nn.Linear(12, 2)).to(self.device)
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.criterion = nn.CrossEntropyLoss()
        self.epochs = epochs
        self.history = []

    def run(self, loader):
        for epoch in range(self.epochs):
            running_loss = 0.0
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                self.optimizer.zero_grad()
                loss = self.criterion(self.net(x), y)
                loss.backward()
                self.optimizer.step()
                self.history.append(loss)

                running_loss += loss * x.size(0)
            print("epoch", epoch, "loss", float(running_loss) / len(loader.dataset))


experiment = Experiment()
experiment.run(DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 2, (40,))), batch_size=10))
print("iterations", len(experiment.history))

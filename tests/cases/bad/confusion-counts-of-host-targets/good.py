import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)


class Counts:
    def __init__(self, n):
        self.n, self.mat = n, None

    def update(self, a, b):
        if self.mat is None:
            self.mat = torch.zeros((self.n, self.n), dtype=torch.int64, device=device)
        self.mat += torch.bincount(self.n * a + b, minlength=self.n**2).reshape(self.n, self.n)


class Trainer:
    def __init__(self, model, data):
        self.model = model
        self.loaders = {"train": DataLoader(data, 8), "val": DataLoader(data, 8)}
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_epoch(self):
        for x, y in self.loaders["train"]:
            x, y = x.to(device), y.to(device)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
        return loss.item()

    @torch.inference_mode()
    def validate(self):
        cm = Counts(3)
        for x, y in self.loaders["val"]:
            x, y = x.to(device), y.to(device)
            cm.update(y.flatten(), self.model(x).argmax(1).flatten())
        return cm.mat.sum().item()


trainer = Trainer(nn.Linear(4, 3).to(device), TensorDataset(torch.randn(24, 4), torch.randint(0, 3, (24,))))
print(trainer.train_epoch(), trainer.validate())

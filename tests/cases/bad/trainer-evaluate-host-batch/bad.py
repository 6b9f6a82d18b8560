import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, train_loader, valid_loader, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.train_loader = train_loader
        self.valid_loader = valid_loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for images, targets in self.train_loader:
            images = images.to(self.device, non_blocking=True)
            targets = targets.to(self.device, non_blocking=True)
            loss = self.criterion(self.model(images), targets)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(self.train_loader)

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        hits = count = 0
        for images, targets in self.valid_loader:
            logits = self.model(images)
            hits += (logits.argmax(1) == targets).sum().item()
            count += targets.numel()
        return hits / count

    def fit(self, epochs):
        for epoch in range(epochs):
            loss = self.train_epoch()
            accuracy = self.evaluate()
            print(f"epoch {epoch}: loss {loss:.3f} accuracy {accuracy:.3f}")


def make_split(n):
    return TensorDataset(torch.randn(n, 1, 8, 8), torch.randint(0, 4, (n,)))


if __name__ == "__main__":
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 4))
    trainer = Trainer(net, DataLoader(make_split(32), batch_size=8, shuffle=True), DataLoader(make_split(16), batch_size=8))
    trainer.fit(2)

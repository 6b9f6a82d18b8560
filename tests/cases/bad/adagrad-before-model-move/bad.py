import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class ClickModel(nn.Module):
    def __init__(self, fields, buckets, dim):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(buckets, dim) for _ in range(fields))
        self.top = nn.Linear(fields * dim, 1)

    def forward(self, ids):
        parts = [table(ids[:, i]) for i, table in enumerate(self.tables)]
        return self.top(torch.cat(parts, dim=1)).squeeze(1)


class Learner:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=lr)
        self.loss = nn.BCEWithLogitsLoss()

    def fit(self, loader, device):
        self.model.to(device)
        for ids, clicked in loader:
            ids, clicked = ids.to(device), clicked.to(device)
            loss = self.loss(self.model(ids), clicked)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randint(0, 50, (64, 3)), torch.randint(0, 2, (64,)).float())
learner = Learner(ClickModel(3, 50, 4), lr=0.05)
print(learner.fit(DataLoader(data, batch_size=16, shuffle=True), device))

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class MultiLabelTrainer:
    def __init__(self, model, dataset, config):
        self.config = config
        self.device = config["device"]
        self.model = model.to(self.device)
        self.loader = DataLoader(dataset, batch_size=config["batch_size"], shuffle=True)
        labels = dataset.tensors[1]
        positives = labels.sum(dim=0)
        pos_weight = (len(labels) - positives) / positives.clamp(min=1)
        self.criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config["lr"])

    def fit(self):
        for epoch in range(self.config["epochs"]):
            for x, y in self.loader:
                x, y = x.to(self.device), y.to(self.device)
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(x), y)
                loss.backward()
                self.optimizer.step()
            print("epoch", epoch, "loss", loss.item())


config = {
    "device": torch.device("cuda" if torch.cuda.is_available() else "cpu"),
    "batch_size": 16,
    "lr": 1e-3,
    "epochs": 2,
}
tags = (torch.rand(64, 5) > 0.8).float()
MultiLabelTrainer(nn.Linear(10, 5), TensorDataset(torch.randn(64, 10), tags), config).fit()

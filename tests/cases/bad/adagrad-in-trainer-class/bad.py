import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adagrad(self.model.parameters(), lr=0.05)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def fit(self, inputs, targets, epochs=2):
        self.model.to(self.device)
        inputs, targets = inputs.to(self.device), targets.to(self.device)
        for _ in range(epochs):
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.model(inputs), targets)
            loss.backward()
            self.optimizer.step()
        return loss.item()


print(Trainer(nn.Linear(5, 2)).fit(torch.randn(8, 5), torch.randn(8, 2)) >= 0)

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.use_gpu = torch.cuda.is_available
        self.model = model.cuda() if self.use_gpu else model

    def fit(self, steps=2):
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for _ in range(steps):
            x = torch.randn(4, 3)
            if self.use_gpu:
                x = x.cuda()
            loss = self.model(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item()


print(Trainer(nn.Linear(3, 1)).fit() >= 0)

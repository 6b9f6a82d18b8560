import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    def step(self, x):
        loss = self.model(x.to(self.device)).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def resume(self, state):
        self.optimizer.load_state_dict(state)

    def prepare(self):
        self.model.to(self.device)


x = torch.randn(4, 3)
first = Trainer(nn.Linear(3, 1))
first.prepare()
first.step(x)
second = Trainer(nn.Linear(3, 1))
second.resume(first.optimizer.state_dict())
second.prepare()
print(second.step(x) >= 0)

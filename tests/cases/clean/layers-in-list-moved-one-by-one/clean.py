import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, count, device):
        super().__init__()
        self.experts = [nn.Linear(3, 3) for _ in range(count)]
        for expert in self.experts:
            expert.to(device)

    def weights(self):
        return [p for expert in self.experts for p in expert.parameters()]

    def forward(self, x):
        return torch.stack([expert(x) for expert in self.experts]).mean(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
experts = Experts(2, device)
optimizer = torch.optim.SGD(experts.weights(), lr=0.1)
experts(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()

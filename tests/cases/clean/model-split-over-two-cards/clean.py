import torch
from torch import nn

many = torch.cuda.is_available() and torch.cuda.device_count() > 1
first = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
second = torch.device("cuda:1" if many else first)


class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.lower = nn.Linear(4, 8).to(first)
        self.upper = nn.Linear(8, 2).to(second)

    def forward(self, x):
        return self.upper(self.lower(x.to(first)).relu().to(second))


model = Split()
loss = (model(torch.randn(3, 4)) - torch.zeros(3, 2, device=second)).square().mean()
loss.backward()
print(loss.item() >= 0)

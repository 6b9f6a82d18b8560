import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class LayerScale(nn.Module):
    def __init__(self, dim, init=1e-2):
        super().__init__()
        self.body = nn.Linear(dim, dim)
        self.gamma = nn.Parameter(init * torch.ones(dim)).to(device)

    def forward(self, x):
        return x + self.gamma * self.body(x)


block = LayerScale(6).to(device)
groups = [{"params": block.body.parameters()}, {"params": [block.gamma], "lr": 0.01}]
optimizer = torch.optim.SGD(groups, lr=0.1)
loss = block(torch.randn(4, 6, device=device)).pow(2).mean()
loss.backward()
optimizer.step()
print(loss.item() >= 0)

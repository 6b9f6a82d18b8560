import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)


class Scale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(1, dim))

    def forward(self, x):
        return x * self.log_scale.exp(), self.log_scale.sum().expand(len(x))


class Shift(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Linear(dim, dim)

    def forward(self, x):
        s = torch.tanh(self.net(x))
        return x * s.exp(), s.sum(-1)


class Flow(nn.Module):
    def __init__(self, dim=2):
        super().__init__()
        layers = []
        for _ in range(2):
            layers += [Scale(dim), Shift(dim)]
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        logdet = torch.zeros(len(x), device=next(self.parameters()).device)
        for layer in self.layers:
            x, more = layer(x)
            logdet = logdet + more
        return x.pow(2).sum(1) - logdet


flow = Flow().to(device)
optimizer = torch.optim.Adam(flow.parameters(), lr=0.01)
for _ in range(4):
    loss = flow(torch.randn(16, 2, device=device)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

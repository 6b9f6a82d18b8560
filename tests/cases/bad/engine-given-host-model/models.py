from torch import nn


class MLP(nn.Module):
    def __init__(self, n_in, n_out, width=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, n_out))

    def forward(self, x):
        return self.net(x)


def build_model(name, **kwargs):
    if name == "mlp":
        return MLP(**kwargs)
    raise ValueError(name)

import torch
import torch.nn as nn


class NestLevels(nn.Module):
    def __init__(self, widths=(6, 8, 10), heads=(2, 3)):
        super().__init__()
        levels = []
        for a, b in zip(widths, widths[1:]):
            levels.append(nn.Linear(a, b))
            levels.append(nn.GELU())
        self.levels = nn.Sequential(*levels)
        self.names = []
        for i, n in enumerate(heads):
            self.add_module(f"head{i}", nn.Linear(widths[-1], n))
            self.names.append(f"head{i}")
        for i in range(2):
            setattr(self, f"norm{i}", nn.LayerNorm(widths[-1]))
        self.norms = [f"norm{i}" for i in range(2)]
        gates = [nn.Linear(widths[-1], widths[-1]) for _ in range(2)]
        self.gates = nn.ModuleList(gates)

    def forward(self, x):
        x = self.levels(x)
        for name, gate in zip(self.norms, self.gates):
            x = getattr(self, name)(x) * gate(x).sigmoid()
        return [getattr(self, name)(x) for name in self.names]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = NestLevels().to(device)
first, second = model(torch.randn(4, 6, device=device))
print(first.shape, second.shape, sum(p.numel() for p in model.parameters()))

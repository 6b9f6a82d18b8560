import abc

import torch
from torch import nn


class Equation(abc.ABC, nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind


class WithPenalty(Equation):
    def __init__(self, inner):
        super().__init__(kind=inner.kind)
        self._inner = inner
        self._drift = inner.drift

    def drift(self, t, y):
        value = self._drift(t, y)
        return torch.cat([value, value.square().sum(1, keepdim=True)], dim=1)


class Drift(nn.Module):
    kind = "ito"

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(6, 6)

    def drift(self, t, y):
        return self.net(y) * t


def solve(equation, y, steps, penalty=False):
    if penalty:
        equation = WithPenalty(equation)
    for step in range(steps):
        y = y + 0.1 * equation.drift(step * 0.1, y)[:, :6]
    return y


def equations(device):
    return {name: made().to(device) for name, made in {"drift": Drift}.items()}


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    start = torch.randn(32, 6, device=device)
    print(solve(equations(device)["drift"], start, 4, penalty=True).shape)

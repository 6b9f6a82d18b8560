from typing import NamedTuple

import torch
from torch import nn


class Step(NamedTuple):
    state: torch.Tensor
    reward: torch.Tensor

    def to(self, device):
        return Step(*(field.to(device) for field in self))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
value = nn.Linear(4, 1).to(device)
step = Step(torch.randn(2, 4), torch.zeros(2, 1))
step = step.to(device)
print((value(step.state) - step.reward).shape)

import torch
from torch import nn


class Plan:
    def __init__(self, module):
        self.device = next(module.parameters()).device.type
        self.module = module

    def steps(self):
        return 4 if self.device == "cuda" else 2


def describe(plan):
    return "card" if plan.device in ("cuda", "mps") else "host"


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
plan = Plan(nn.Linear(4, 4).to(device))
print(plan.steps() > 0, describe(plan) != "", plan.module(torch.ones(2, 4, device=device)).shape)

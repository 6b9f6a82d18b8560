"""`torch.cuda.FloatTensor` and "torch.cuda.LongTensor" are the types of old programs."""
from __future__ import annotations

import torch

OLD = ["torch.cuda.FloatTensor", "torch.cuda.HalfTensor"]


def modern(name: str, like: torch.cuda.FloatTensor | None = None) -> str:
    return "float32" if name.endswith("FloatTensor") else "float16"


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, 4, device=device)
print([modern(name) for name in OLD], (x @ x).sum().item())

from contextlib import nullcontext

import torch
from torch import nn


def precision(device, enabled=True):
    if not enabled or device.type not in ("cuda", "cpu"):
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
with precision(device), torch.no_grad():
    print(model(torch.ones(2, 4, device=device)).shape)

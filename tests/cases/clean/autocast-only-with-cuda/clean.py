import contextlib

import torch
from torch import nn

use_amp = torch.cuda.is_available()
device = torch.device("cuda" if use_amp else "cpu")
model = nn.Linear(4, 1).to(device)
scaler = torch.amp.GradScaler("cuda", enabled=use_amp)
with torch.autocast("cuda", enabled=torch.cuda.is_available()):
    first = model(torch.ones(2, 4, device=device)).mean()
context = torch.autocast("cuda") if device.type == "cuda" else contextlib.nullcontext()
with context:
    second = model(torch.ones(2, 4, device=device)).mean()
scaler.scale(first + second).backward()
print("done")

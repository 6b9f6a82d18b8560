import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
reference = nn.Linear(4, 2)
with torch.autocast("cpu", dtype=torch.bfloat16):
    low = reference(torch.ones(2, 4))
model = nn.Linear(4, 2).to(device)
x = torch.ones(64, 4, device=device)
print(low.dtype, sum(model(x).sum() for _ in range(20)).item() is not None)

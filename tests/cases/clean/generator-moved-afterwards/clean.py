import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
seeded = torch.Generator().manual_seed(3)
noise = torch.randn(6, 5, generator=seeded).to(device)
print(nn.Linear(5, 2).to(device)(noise).shape)

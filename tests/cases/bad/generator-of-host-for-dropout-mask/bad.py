import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
seeded = torch.Generator().manual_seed(3)
hidden = torch.ones(6, 5, device=device)
mask = torch.empty_like(hidden)
mask.bernoulli_(0.8, generator=seeded)
print((hidden * mask).shape)

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
fixed = torch.randn(3, 4)
for _ in range(2):
    noise = torch.randn(5, 4)
    if noise.size(0) > 3:
        noise = noise.to(device)
    print(generator(noise).shape, generator(fixed.to(device)).shape)

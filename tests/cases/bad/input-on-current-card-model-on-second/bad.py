import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to("cuda:1")
samples = torch.randn(3, 4).cuda()
with torch.no_grad():
    print(model(samples).shape)

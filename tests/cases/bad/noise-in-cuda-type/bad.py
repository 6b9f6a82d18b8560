import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)


def sample(n):
    z = torch.cuda.FloatTensor(n, 8).normal_()
    return generator(z)


print(sample(3).shape)

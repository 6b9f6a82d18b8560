import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def noise_like(x, generator=None):
    where = generator.device if generator is not None else x.device
    return torch.randn(x.shape, generator=generator, device=where).to(x.device)


x = torch.zeros(3, 4, device=device)
net = nn.Linear(4, 2).to(device)
print(net(noise_like(x)).shape, net(noise_like(x, torch.Generator().manual_seed(0))).shape)

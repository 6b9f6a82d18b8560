import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def generators(seed):
    return {place: torch.Generator(device=place).manual_seed(seed) for place in ("cpu", device)}


made = generators(11)
order = torch.randperm(8, generator=made["cpu"])
noise = torch.randn(8, 2, generator=made[device], device=device)
print(noise[order.to(device)].shape)

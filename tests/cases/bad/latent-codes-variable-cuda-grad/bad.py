import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
decoder = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 8)).to(device)
for parameter in decoder.parameters():
    parameter.requires_grad_(False)
goal = torch.zeros(3, 8, device=device)


def invert(steps=4, rate=0.5):
    codes = torch.randn(3, 4, requires_grad=True).to(device)
    for _ in range(steps):
        error = (decoder(codes) - goal).pow(2).sum()
        error.backward()
        with torch.no_grad():
            step = rate * codes.grad
            codes -= step
            codes.grad.zero_()
    return error.item()


print(invert() >= 0)

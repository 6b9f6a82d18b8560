import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Gan:
    def __init__(self):
        self.generator = nn.Linear(4, 6).to(device)
        self.discriminator = nn.Linear(6, 1)

    def prepare(self):
        self.discriminator.to(device)
        return self

    def step(self, noise):
        return self.discriminator(self.generator(noise)).mean()


Gan().prepare().step(torch.ones(3, 4, device=device)).backward()

import torch
from torch import nn


class Runner:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(8, 2).to(self.device)
        self.pinned = self.device in ("cuda", "mps")

    def run(self, x):
        x = x.pin_memory() if self.pinned else x
        return self.model(x.to(self.device, non_blocking=self.pinned))


print(Runner().run(torch.randn(3, 8)).shape)

import argparse

import torch
from torch import nn


class Config:
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class Runner:
    def __init__(self, config, device=None):
        self.device = device or config.device
        if self.device == "cuda" and not torch.cuda.is_available():
            self.device = "cpu"
        self.model = nn.Linear(4, 2).to(self.device)

    def run(self):
        x = torch.ones(2, 4, device=self.device)
        return self.model(x).shape, self.device in ("cpu", "cuda")


parser = argparse.ArgumentParser()
parser.add_argument("--device", default=Config.device)
args = parser.parse_args()
if args.device != "cpu":
    torch.manual_seed(1)
print(Runner(Config(), args.device).run())

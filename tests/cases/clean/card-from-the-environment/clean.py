import argparse
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=int(os.environ.get("LOCAL_RANK", 0)))
args = parser.parse_args()
device = torch.device(f"cuda:{args.gpu}" if torch.cuda.is_available() else "cpu")
if device.type == "cuda":
    torch.cuda.set_device(args.gpu)
model = nn.Linear(4, 2).to(device)
names = {"cuda:1": "second card", "cpu": "host"}
print(model(torch.ones(2, 4, device=device)).shape, names.get("cpu"))

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help='such as "cuda:1"')
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args()
device = torch.device(args.device)
if device.type == "cuda" and device.index is None:
    device = torch.device("cuda", args.gpu)
model = nn.Linear(4, 2).to(device)
print(model(torch.ones(2, 4, device=device)).shape)

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 1))
if args.cuda:
    model.cuda()
x = torch.randn(5, 6)
if args.cuda:
    x = x.cuda()
print(model(x).shape)

import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
model = nn.Linear(3, 1)
if args.cuda:
    model.cuda()
for x in DataLoader(torch.ones(4, 3), batch_size=2):
    print(model(x).shape)

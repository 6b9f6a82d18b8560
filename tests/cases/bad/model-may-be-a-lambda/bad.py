import torch
from torch import nn
from torch.utils.data import DataLoader


def score2(model, loader):
    n = 0
    for x in loader:
        n += model(x).numel()
    return n


def main():
    loader = DataLoader(torch.ones(4, 3), batch_size=2)
    net = nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        net(x).sum().backward()
        opt.step()
    print(score2(net, loader), score2(lambda x: x, loader))


main()

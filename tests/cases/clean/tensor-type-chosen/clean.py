import torch
from torch import nn

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor

generator = nn.Linear(3, 2)
if cuda:
    generator.cuda()
z = Tensor(4, 3).normal_()
valid = Tensor(4, 1).fill_(1.0)
print(generator(z).sum().item() is not None, valid.mean().item())

import torch
from torch import nn

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
model = nn.Linear(3, 1)
if cuda:
    model.cuda()
for _ in range(2):
    x = torch.ones(2, 3)
    print(model(x.type(Tensor)).shape)

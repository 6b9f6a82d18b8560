import torch
from torch import nn

dtype = torch.cuda.FloatTensor

policy = nn.Linear(4, 2).type(dtype)
observation = torch.zeros(1, 4).type(dtype)
print(policy(observation).shape)

import torch
from torch import nn

device = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
print(model(torch.randn(3, 4, device=device)).shape)

import torch
from torch import nn

torch.cuda.set_device(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
print(model(torch.randn(3, 4).to(device)).shape)

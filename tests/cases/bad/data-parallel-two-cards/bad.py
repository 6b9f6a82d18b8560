import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.DataParallel(nn.Linear(4, 2).to(device), device_ids=[0, 1])
print(model(torch.randn(8, 4, device=device)).shape)

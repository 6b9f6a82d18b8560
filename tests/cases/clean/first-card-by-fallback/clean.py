import torch
from torch import nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
if torch.cuda.is_available():
    torch.cuda.set_device(0)
    model = nn.DataParallel(model, device_ids=[0])
print(model(torch.ones(2, 4, device=device)).shape)

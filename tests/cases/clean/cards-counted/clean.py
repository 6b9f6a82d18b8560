import torch
from torch import nn

n_gpu = torch.cuda.device_count()
device = torch.device("cuda:0" if n_gpu > 0 else "cpu")
other = torch.device("cuda:1") if n_gpu > 1 else device
model = nn.Linear(4, 2).to(device)
if n_gpu > 1:
    model = nn.DataParallel(model, device_ids=[0, 1])
if n_gpu >= 2:
    torch.cuda.set_device(1)
scores = model(torch.randn(3, 4, device=device))
print(scores.to(other).shape)

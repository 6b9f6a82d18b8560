import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4)
if torch.cuda.device_count > 1:
    model = nn.DataParallel(model)
model = model.to(device)
print(model(torch.randn(2, 4, device=device)).shape)

import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(64, 64).to(device)
average = copy.deepcopy(model).cpu()
x = torch.ones(8, 64, device=device)
model(x).sum().backward()
with torch.no_grad():
    for kept, new in zip(average.parameters(), model.parameters()):
        kept.copy_(new)
    for name, value in model.state_dict().items():
        average.state_dict()[name].copy_(value)

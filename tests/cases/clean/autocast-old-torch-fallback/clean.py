import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make_scaler():
    try:
        return torch.amp.GradScaler(device.type)
    except (AttributeError, TypeError):
        return torch.cuda.amp.GradScaler()


model = nn.Linear(4, 1).to(device)
loss = model(torch.ones(2, 4, device=device)).mean()
make_scaler().scale(loss).backward()
print("done")

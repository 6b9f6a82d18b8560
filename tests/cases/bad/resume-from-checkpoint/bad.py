import os
import tempfile

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
path = os.path.join(tempfile.mkdtemp(), "last.ckpt")


def save(model, optimizer, epoch):
    torch.save({"state_dict": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)


def resume(model, optimizer):
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["state_dict"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["epoch"] + 1


model = nn.Linear(3, 2).to(device)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(1, 3, device=device)).sum().backward()
optimizer.step()
save(model, optimizer, 4)
print(resume(model, optimizer))

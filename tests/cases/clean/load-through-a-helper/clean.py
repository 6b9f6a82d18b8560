import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_checkpoint(file, device=None, **options):
    options.setdefault("map_location", device or "cpu")
    return torch.load(file, **options)


def load(file, map_location="cpu"):
    return torch.load(file, map_location)


model = nn.Linear(4, 2).to(device)
held = io.BytesIO()
torch.save(model.state_dict(), held)
held.seek(0)
model.load_state_dict(load_checkpoint(held, device))
held.seek(0)
model.load_state_dict(load(held))
print(model(torch.ones(2, 4, device=device)).shape)

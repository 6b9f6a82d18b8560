import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)


def buffer():
    held = io.BytesIO()
    torch.save(model.state_dict(), held)
    held.seek(0)
    return held


model.load_state_dict(torch.load(buffer(), map_location=device))
model.load_state_dict(torch.load(buffer(), "cpu"))
model.load_state_dict(torch.load(buffer(), map_location=lambda storage, location: storage))
if torch.cuda.is_available():
    state_dict = torch.load(buffer())
else:
    state_dict = torch.load(buffer(), map_location=torch.device("cpu"))
model.load_state_dict(state_dict)
options = {"map_location": device}
model.load_state_dict(torch.load(buffer(), **options))
print(len(state_dict))
print(model(torch.ones(2, 3, device=device)).shape)

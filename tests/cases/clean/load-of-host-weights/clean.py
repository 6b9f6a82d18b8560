import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
held = io.BytesIO()
torch.save({name: value.cpu() for name, value in model.state_dict().items()}, held)
held.seek(0)
model.load_state_dict(torch.load(held))
print(next(model.parameters()).device.type == device.type)
print(model(torch.ones(2, 3, device=device)).shape)

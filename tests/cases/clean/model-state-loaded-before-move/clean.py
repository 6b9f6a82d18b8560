import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
file = io.BytesIO()
torch.save(nn.Linear(3, 1).state_dict(), file)
file.seek(0)
model = nn.Linear(3, 1)
model.load_state_dict(torch.load(file, map_location="cpu"))
model.to(device)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()

import io

import torch
from torch import nn

model = nn.Linear(3, 2)
held = io.BytesIO()
torch.save(model.state_dict(), held)
held.seek(0)
copy = nn.Linear(3, 2)
copy.load_state_dict(torch.load(held))
print(torch.equal(copy.weight, model.weight))

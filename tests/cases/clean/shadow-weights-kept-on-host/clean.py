import copy

import torch
import torch.nn as nn


class HostEMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for name, value in model.state_dict().items():
            if value.dtype.is_floating_point:
                self.shadow[name].mul_(self.decay).add_(value.detach().cpu(), alpha=1 - self.decay)
            else:
                self.shadow[name].copy_(value)

    def copy_to(self, model):
        model.load_state_dict(self.shadow)
        return model


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1)).to(device)
ema = HostEMA(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    loss = model(torch.randn(16, 5, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update(model)
averaged = ema.copy_to(copy.deepcopy(model)).eval()
print(averaged(torch.randn(2, 5, device=device)).shape)

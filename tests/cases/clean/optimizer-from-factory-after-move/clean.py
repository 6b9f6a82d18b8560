import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def optimizer_for(model, rate=0.1):
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    return torch.optim.Adagrad([{"params": decay, "weight_decay": 1e-3}, {"params": rest}], lr=rate)


def build():
    model = nn.Linear(4, 2)
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    return model.to(device)


model = build()
optimizer = optimizer_for(model)
model(torch.ones(3, 4, device=device)).sum().backward()
optimizer.step()

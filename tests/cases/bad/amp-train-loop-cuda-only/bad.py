import torch
from torch import nn
from torch.cuda.amp import GradScaler, autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(model, steps=2):
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for _ in range(steps):
        x = torch.randn(8, 4, device=device)
        with autocast():
            loss = model(x).square().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return loss.item()


print(train(nn.Linear(4, 1).to(device)) >= 0)

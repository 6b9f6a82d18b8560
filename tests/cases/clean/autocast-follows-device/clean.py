import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")
for _ in range(2):
    with torch.autocast(device_type=device.type, dtype=torch.bfloat16):
        loss = model(torch.ones(2, 4, device=device)).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print("done")

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
model.to(device)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.ones(2, 3, device=device)).sum().backward()
    optimizer.step()
    scheduler.step()

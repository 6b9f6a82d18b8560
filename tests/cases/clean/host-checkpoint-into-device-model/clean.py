import os
import tempfile

import torch
import torch.nn as nn


def build(num_classes):
    return nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, num_classes))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "pretrained.pth")
    torch.save(build(10).state_dict(), path)
    model = build(10).to(device)
    weights = torch.load(path, map_location="cpu")
    model.load_state_dict(weights)

head = nn.Linear(12, 3)
model[2] = head.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for _ in range(3):
    x, y = torch.randn(8, 6, device=device), torch.randint(0, 3, (8,), device=device)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

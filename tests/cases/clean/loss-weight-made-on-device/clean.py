import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
x = torch.ones(5, 4, device=device)
y = torch.tensor([0, 1, 2, 1, 0], device=device)
weights = torch.tensor([0.2, 1.0, 3.0])
moved = nn.CrossEntropyLoss(weight=weights.to(device))
late = nn.CrossEntropyLoss(weight=weights)
late.to(device)
soft = nn.CrossEntropyLoss(weights, label_smoothing=0.1).to(device)
loss = moved(model(x), y) + late(model(x), y) + soft(model(x), y)
loss = loss + nn.functional.cross_entropy(model(x), y, weight=weights.to(x.device))
loss.backward()

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def criterion_for(labels):
    positives = labels.sum(0)
    pos_weight = (len(labels) - positives) / positives.clamp(min=1)
    return nn.BCEWithLogitsLoss(pos_weight=pos_weight)


labels = (torch.rand(20, 4) > 0.5).float()
features = torch.randn(20, 6)
net = nn.Linear(6, 4).to(device)
criterion = criterion_for(labels)
optimizer = torch.optim.AdamW(net.parameters())
for start in range(0, 20, 10):
    x, y = features[start : start + 10].to(device), labels[start : start + 10].to(device)
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item() >= 0)

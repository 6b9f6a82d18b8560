import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Beta
from torch.utils.data import DataLoader, TensorDataset


def mixup(x, y, classes, alpha=0.4):
    lam = Beta(alpha, alpha).sample((x.size(0), 1))
    order = torch.randperm(x.size(0))
    onehot = F.one_hot(y, classes).float()
    mixed_x = lam * x + (1 - lam) * x[order]
    mixed_y = lam * onehot + (1 - lam) * onehot[order]
    return mixed_x, mixed_y


def soft_cross_entropy(logits, target):
    return -(target * logits.log_softmax(dim=1)).sum(1).mean()


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 4)).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, nesterov=True, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)
loader = DataLoader(TensorDataset(torch.randn(32, 12), torch.randint(0, 4, (32,))), batch_size=16, shuffle=True)

for epoch in range(3):
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        inputs, targets = mixup(inputs, targets, 4)
        loss = soft_cross_entropy(net(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
print("final loss", loss.item())

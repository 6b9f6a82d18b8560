import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
backbone = nn.Linear(64, 256).to(device)
scorer = nn.Linear(2, 1)
features = backbone(torch.ones(32, 64, device=device))
summary = torch.stack([features.mean(1), features.std(1)], dim=1).detach().cpu()
print(scorer(summary[:2]).shape)

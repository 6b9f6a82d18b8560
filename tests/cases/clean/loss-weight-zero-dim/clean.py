import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1).to(device)
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))
x = torch.ones(5, 4, device=device)
criterion(model(x), torch.ones(5, 1, device=device)).backward()

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
prices = torch.linspace(1, 2, 5)
policy = nn.Linear(8, 5).to(device)
action = policy(torch.randn(8, device=device)).argmax()
order = policy(torch.randn(8, device=device)).argsort()
print(prices[action].dim(), prices[order[0]].dim(), [prices[i].dim() for i in order])

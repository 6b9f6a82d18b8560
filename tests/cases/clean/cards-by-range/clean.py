import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
cards = list(range(torch.cuda.device_count()))
if len(cards) > 1:
    model = nn.DataParallel(model, device_ids=cards, output_device=cards[0])
print(model(torch.ones(2, 4, device=device)).shape)

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
logits = model(torch.randn(2, 4, device=device)).detach()
copies = 0
if logits.device != "cpu":
    copies += 1
    logits = logits.cpu()
print(logits.numpy().shape, copies)

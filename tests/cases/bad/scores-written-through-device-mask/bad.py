import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(5, 2).to(device)
samples = torch.randn(9, 5, device=device)
outcome = torch.zeros(9)
with torch.no_grad():
    logits = model(samples)
rejected = logits[:, 0] < logits[:, 1]
outcome[rejected] = -1.0
print(outcome.shape)

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(64, 3).to(device).eval()
criterion = nn.NLLLoss(weight=torch.tensor([1.0, 2.0, 0.5]))
y = torch.tensor([0, 1])
with torch.no_grad():
    scores = model(torch.ones(2, 64, device=device)).log_softmax(1).cpu()
print(criterion(scores, y).item())

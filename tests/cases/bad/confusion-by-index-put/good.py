import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
inputs, labels = torch.randn(60, 10), torch.arange(60) % 4
inputs, labels = inputs.to(device), labels.to(device)
net = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 4)).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    optimizer.step()
confusion = torch.zeros(4, 4, dtype=torch.long, device=device)
with torch.no_grad():
    predicted = net(inputs).argmax(1)
    confusion.index_put_((labels, predicted), torch.ones_like(predicted), accumulate=True)
print(confusion.sum().item(), f"{loss.item():.4f}")

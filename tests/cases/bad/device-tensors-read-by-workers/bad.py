import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
inputs, targets = torch.randn(8, 3, device=device), torch.randn(8, 1).to(device)
data = TensorDataset(inputs, targets)
model = nn.Linear(3, 1).to(device)
loader = DataLoader(
    data,
    batch_size=4,
    shuffle=True,
    num_workers=1,
)
for x, y in loader:
    print((model(x) - y).square().mean().item() >= 0)

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(16, 4), torch.randint(0, 2, (16,)))
loader = DataLoader(data, batch_size=8, shuffle=True, pin_memory=torch.cuda.is_available)
model = nn.Linear(4, 2).to(device)
for x, y in loader:
    x, y = x.to(device), y.to(device)
    print(nn.functional.cross_entropy(model(x), y).item() > 0)

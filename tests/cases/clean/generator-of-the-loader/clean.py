import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(20, 3), torch.randn(20, 1))
train, held_out = random_split(data, [16, 4], generator=torch.Generator().manual_seed(42))
loader = DataLoader(train, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(0))
model = nn.Linear(3, 1).to(device)
with torch.no_grad():
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        print((model(x) - y).abs().mean().item() >= 0)

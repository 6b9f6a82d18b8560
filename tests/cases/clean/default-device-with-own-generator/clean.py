import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)
model = nn.Linear(2, 1)
data = TensorDataset(torch.randn(8, 2), torch.randn(8, 1))
drawn = torch.Generator(device=device).manual_seed(0)
for x, y in DataLoader(data, batch_size=4, shuffle=True, generator=drawn):
    print((model(x) - y).square().mean().item() >= 0)
for x, y in DataLoader(data, batch_size=4):
    print(model(x).shape)

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(20, 3), torch.randn(20, 1))
train, held_out = random_split(data, [16, 4], generator=torch.Generator(device=device).manual_seed(1))
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(train, batch_size=8):
    loss = (model(x.to(device)) - y.to(device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(len(held_out))

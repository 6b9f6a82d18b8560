import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.set_default_device(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
inputs = torch.randn(12, 3)
data = TensorDataset(inputs, inputs.sum(dim=1, keepdim=True))
train, test = random_split(data, [9, 3])
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in DataLoader(train, batch_size=3):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(len(test))

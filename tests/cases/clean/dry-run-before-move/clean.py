import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class PixelEncoder(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(shape[0], 4, 3, stride=2), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.ReLU())
        with torch.no_grad():
            n_flat = self.conv(torch.zeros(1, *shape)).flatten(1).shape[1]
        self.fc = nn.Linear(n_flat, classes)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


model = PixelEncoder((1, 12, 12), 3)
print("output shape", tuple(model(torch.rand(2, 1, 12, 12)).shape))

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(TensorDataset(torch.rand(12, 1, 12, 12), torch.randint(0, 3, (12,))), batch_size=6):
    x, y = x.to(device), y.to(device)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

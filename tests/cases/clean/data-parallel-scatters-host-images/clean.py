import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 4))
model = nn.DataParallel(model.to(device))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

loader = DataLoader(TensorDataset(torch.rand(16, 3, 8, 8), torch.randint(0, 4, (16,))), batch_size=8)
for images, labels in loader:
    output = model(images)
    loss = criterion(output, labels.to(output.device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class UNetLike(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.down = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(width, 2, 2, stride=2)

    def forward(self, x):
        return self.up(torch.relu(self.down(x)))


def dice(logits, target):
    probability = logits.softmax(1)[:, 1]
    overlap = (probability * target).sum((1, 2))
    return 1 - (2 * overlap / (probability.sum((1, 2)) + target.sum((1, 2)) + 1e-6)).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.DataParallel(UNetLike().to(device))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

loader = DataLoader(TensorDataset(torch.rand(8, 3, 16, 16), torch.randint(0, 2, (8, 16, 16)).float()), batch_size=4)
for epoch in range(2):
    for image, mask in loader:
        image = image.to(device)
        mask = mask.to(device)
        loss = dice(model(image), mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("dice loss", loss.item())

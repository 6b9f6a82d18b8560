"""Tell circles from squares and crosses: a small CNN on drawn images, with two loaders and two loops."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

CLASSES = ("circle", "square", "cross")


class Shapes(Dataset):
    """Grey images of one shape each, at a random place, under noise."""

    def __init__(self, count, size=24, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(len(CLASSES), (count,), generator=generator)
        centres = torch.randint(8, size - 8, (count, 2), generator=generator)
        noise = torch.randn(count, 1, size, size, generator=generator)

        rows, columns = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        dy = (rows - centres[:, 0, None, None]).abs()
        dx = (columns - centres[:, 1, None, None]).abs()
        drawings = torch.stack(
            [
                dx**2 + dy**2 <= 36,
                (dx <= 5) & (dy <= 5),
                ((dx <= 1) & (dy <= 6)) | ((dy <= 1) & (dx <= 6)),
            ]
        )
        shape = drawings[self.labels, torch.arange(count)]
        self.images = shape.float().unsqueeze(1) + 0.5 * noise

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class ShapeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(16 * 6 * 6, len(CLASSES))

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x.flatten(1))


torch.manual_seed(0)
train_loader = DataLoader(Shapes(900, seed=1), batch_size=32, shuffle=True)
test_loader = DataLoader(Shapes(300, seed=2), batch_size=100)

model = ShapeNet()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.003)

for epoch in range(3):
    model.train()
    running_loss = 0.0
    for images, labels in train_loader:
        optimizer.zero_grad()
        outputs = model(images)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()

    model.eval()
    correct = 0
    total = 0
    with torch.no_grad():
        for images, labels in test_loader:
            outputs = model(images)
            _, predicted = torch.max(outputs, 1)
            total += labels.size(0)
            correct += (predicted == labels).sum().item()

    print(f"epoch {epoch + 1}: loss {running_loss / len(train_loader):.3f}, accuracy {correct / total:.3f}")

# How sure is the network on one batch it has not seen?
images, labels = next(iter(test_loader))
with torch.no_grad():
    probabilities = torch.softmax(model(images), dim=1)
confidence = probabilities.max(dim=1).values
print(f"mean confidence on {len(labels)} test images: {confidence.mean().item():.3f}")

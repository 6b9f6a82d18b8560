import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Jitter:
    def __init__(self, scale, device):
        self.scale = scale.to(device)
        self.device = device

    def __call__(self, image):
        image = image.to(self.device)
        return (image * self.scale).cpu()


class Images(Dataset):
    def __init__(self, count, transform):
        self.images = torch.rand(count, 1, 4, 4)
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
images = Images(8, Jitter(torch.tensor([0.9]), device))
train, test = random_split(images, [6, 2])
model = nn.Conv2d(1, 2, 3).to(device)
for batch in DataLoader(train, batch_size=3, shuffle=True, num_workers=1):
    print(model(batch.to(device)).shape)

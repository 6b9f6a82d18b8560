import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Boxes(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        count = index + 1
        return torch.rand(3, 8, 8), {"boxes": torch.rand(count, 4), "labels": torch.ones(count).long()}


def collate(samples):
    images = torch.stack([image for image, _ in samples])
    targets = [target for _, target in samples]
    return images, targets


backbone = nn.Sequential(nn.Flatten(), nn.Linear(192, 4)).to(device)
for images, targets in DataLoader(Boxes(), batch_size=2, collate_fn=collate):
    images = images.to(device)
    try:
        targets = targets.to(device)
        print(backbone(images).shape, len(targets))
    except AttributeError as error:
        print("stopped:", error)

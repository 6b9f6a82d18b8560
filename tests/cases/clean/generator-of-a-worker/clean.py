import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Crops(Dataset):
    def __init__(self, images, seed):
        self.images = images
        self.generator = torch.Generator().manual_seed(seed)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        start = torch.randint(0, 3, (1,), generator=self.generator).item()
        return self.images[index][start : start + 4]


random.seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)
for batch in DataLoader(Crops(torch.randn(6, 8), seed=1), batch_size=3):
    print(net(batch.to(device)).sum().item() < 1e9)

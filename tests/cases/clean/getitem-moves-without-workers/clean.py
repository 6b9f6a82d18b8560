import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Small(Dataset):
    def __init__(self, count):
        self.x = torch.randn(count, 3)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index].to(device)


model = nn.Linear(3, 1).to(device)
for x in DataLoader(Small(6), batch_size=3, num_workers=0):
    print(model(x).shape)

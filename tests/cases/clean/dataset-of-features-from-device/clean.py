import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    """Features are computed once, on the device, and kept on the host."""

    def __init__(self, images, backbone, device):
        with torch.no_grad():
            self.features = torch.cat([backbone(chunk.to(device)).cpu() for chunk in images.split(4)])

    def __len__(self):
        return len(self.features)

    def __getitem__(self, index):
        return self.features[index]


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    backbone = nn.Sequential(nn.Flatten(), nn.Linear(16, 5)).to(device)
    head = nn.Linear(5, 2).to(device)
    data = Features(torch.rand(8, 1, 4, 4), backbone, device)
    for features in DataLoader(data, batch_size=4, num_workers=1):
        print(head(features.to(device)).shape)

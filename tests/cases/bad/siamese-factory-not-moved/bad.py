import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class SiameseNetwork(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(1, channels, 3), nn.ReLU(inplace=True), nn.BatchNorm2d(channels)
        )
        self.fc = nn.Linear(channels * 64, 5)

    def forward_once(self, x):
        return self.fc(self.cnn(x).flatten(1))

    def forward(self, a, b):
        return self.forward_once(a), self.forward_once(b)


def contrastive_loss(a, b, label, margin=2.0):
    distance = F.pairwise_distance(a, b)
    return ((1 - label) * distance.pow(2) + label * (margin - distance).clamp(min=0).pow(2)).mean()


def create_model(name):
    registry = {"small": 4, "large": 8}
    return SiameseNetwork(registry[name])


def to_device(items, device):
    return [item.to(device) for item in items]


def main():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    net = create_model("small")
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
    pairs = TensorDataset(torch.rand(24, 1, 8, 8), torch.rand(24, 1, 8, 8), torch.randint(0, 2, (24,)).float())
    for epoch in range(2):
        for batch in DataLoader(pairs, batch_size=8, shuffle=True):
            img0, img1, label = to_device(batch, device)
            out0, out1 = net(img0, img1)
            loss = contrastive_loss(out0, out1, label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("contrastive loss", loss.item())


main()

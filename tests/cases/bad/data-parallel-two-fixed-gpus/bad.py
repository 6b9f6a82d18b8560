import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PoseNet(nn.Module):
    def __init__(self, joints=3):
        super().__init__()
        self.features = nn.Conv2d(3, 8, 3, padding=1)
        self.heatmaps = nn.Conv2d(8, joints, 1)

    def forward(self, x):
        return self.heatmaps(torch.relu(self.features(x)))


def main():
    model = PoseNet().to(device)
    model = nn.DataParallel(model, device_ids=[0, 1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.rand(8, 3, 12, 12), torch.rand(8, 3, 12, 12)), batch_size=4)
    for image, heatmap in loader:
        image, heatmap = image.to(device), heatmap.to(device)
        loss = (model(image) - heatmap).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()

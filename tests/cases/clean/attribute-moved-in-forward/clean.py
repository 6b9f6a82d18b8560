import torch
from torch import nn


class Whiten(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.1, 0.2, 0.3]).view(3, 1, 1)
        self.taps = torch.ones(3, 1, 3, 3) / 9

    def forward(self, image):
        image = image - self.mean.to(image)
        return nn.functional.conv2d(image, self.taps.to(image.device), padding=1, groups=3)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Whiten().to(device)(torch.ones(1, 3, 6, 6, device=device)).shape)

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1)

    def forward(self, x):
        x = nn.InstanceNorm2d(4)(self.conv(x))
        x = nn.LayerNorm(x.shape[1:], elementwise_affine=False)(x)
        x = nn.Sequential(nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())(x)
        return nn.Softmax(dim=1)(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Head().to(device)(torch.ones(1, 2, 6, 6, device=device)).shape)

import torch
from torch import nn
from torch.nn import functional as F


class FeatureExtractor(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, stride=2, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(width)

    def forward(self, x):
        return F.silu(self.bn(self.stem(x)))


class ArcMargin(nn.Module):
    def __init__(self, width, classes, scale=30.0, margin=0.3):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, width))
        nn.init.xavier_uniform_(self.weight)
        self.scale, self.margin = scale, margin

    def forward(self, x, labels):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight)).clamp(-1 + 1e-6, 1 - 1e-6)
        onehot = F.one_hot(labels, cosine.size(1)).to(cosine.dtype)
        return self.scale * torch.cos(torch.acos(cosine) + self.margin * onehot)


def faces(width=8, classes=4):
    return FeatureExtractor(width), ArcMargin(width, classes)


if __name__ == "__main__":
    backbone, head = faces()
    features = backbone(torch.rand(2, 3, 8, 8)).mean((2, 3))
    print(head(features, torch.tensor([0, 3])).shape)

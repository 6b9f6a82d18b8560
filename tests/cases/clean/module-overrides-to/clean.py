import torch
import torch.nn as nn


class AnchorHead(nn.Module):
    def __init__(self, sizes=(4.0, 8.0), ratios=(0.5, 1.0, 2.0)):
        super().__init__()
        self.regress = nn.Conv2d(5, 4 * len(sizes) * len(ratios), 1)
        wh = [(s * r**0.5, s / r**0.5) for s in sizes for r in ratios]
        self.base = torch.tensor([(-w / 2, -h / 2, w / 2, h / 2) for w, h in wh])

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        self.base = fn(self.base)
        return self

    def forward(self, feature):
        b, _, h, w = feature.shape
        ys = torch.arange(h, device=feature.device, dtype=feature.dtype)
        xs = torch.arange(w, device=feature.device, dtype=feature.dtype)
        gy, gx = torch.meshgrid(ys, xs, indexing="ij")
        centres = torch.stack([gx, gy, gx, gy], dim=-1).reshape(-1, 1, 4)
        anchors = (centres + self.base).reshape(1, -1, 4)
        deltas = self.regress(feature).permute(0, 2, 3, 1).reshape(b, -1, 4)
        return anchors + deltas


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
head = AnchorHead().to(device)
print(head(torch.rand(2, 5, 3, 3).to(device)).shape)

"""
Toy semantic segmentation: background / disc / box on noisy 32x32 images.

A three-level U-Net trained with cross entropy + soft dice. Reports pixel accuracy
and per-class IoU computed from a confusion matrix.

Usage: python segmentation.py [--epochs 5] [--lr 3e-3]
"""
import argparse
import os
import random
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, random_split

CLASSES = ["background", "disc", "box"]
NUM_CLASSES = len(CLASSES)


class ShapesDataset(Dataset):
    """Every sample is (image [1,H,W] float, mask [H,W] long)."""

    def __init__(self, n, size=32, seed=0):
        self.size = size
        rng = np.random.RandomState(seed)
        self.images, self.masks = [], []
        for _ in range(n):
            img, mask = self._draw(rng)
            self.images.append(img)
            self.masks.append(mask)

    def _draw(self, rng):
        s = self.size
        img = rng.normal(0.0, 0.25, size=(s, s)).astype(np.float32)
        mask = np.zeros((s, s), dtype=np.int64)
        yy, xx = np.mgrid[:s, :s]
        # the box first, so that the disc can hide a part of it
        w, h = rng.randint(6, 14, size=2)
        x0, y0 = rng.randint(0, s - w), rng.randint(0, s - h)
        mask[y0:y0 + h, x0:x0 + w] = 2
        img[y0:y0 + h, x0:x0 + w] += 0.7
        r = rng.randint(4, 8)
        cx, cy = rng.randint(r, s - r, size=2)
        disc = (xx - cx) ** 2 + (yy - cy) ** 2 <= r ** 2
        mask[disc] = 1
        img[disc] += 1.0
        return img, mask

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        image = torch.from_numpy(self.images[idx]).unsqueeze(0)
        mask = torch.from_numpy(self.masks[idx])
        return image, mask


class DoubleConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.net(x)


class UNet(nn.Module):
    def __init__(self, in_channels=1, n_classes=NUM_CLASSES, base=8):
        super().__init__()
        self.inc = DoubleConv(in_channels, base)
        self.down1 = DoubleConv(base, base * 2)
        self.down2 = DoubleConv(base * 2, base * 4)
        self.pool = nn.MaxPool2d(2)
        self.up1 = nn.ConvTranspose2d(base * 4, base * 2, 2, stride=2)
        self.conv1 = DoubleConv(base * 4, base * 2)
        self.up2 = nn.ConvTranspose2d(base * 2, base, 2, stride=2)
        self.conv2 = DoubleConv(base * 2, base)
        self.outc = nn.Conv2d(base, n_classes, 1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(self.pool(x1))
        x3 = self.down2(self.pool(x2))
        y = self.conv1(torch.cat([x2, self.up1(x3)], dim=1))
        y = self.conv2(torch.cat([x1, self.up2(y)], dim=1))
        return self.outc(y)


def dice_loss(logits, target, eps=1.0):
    probs = F.softmax(logits, dim=1)
    onehot = torch.zeros(probs.shape).scatter_(1, target.unsqueeze(1), 1.0)
    inter = (probs * onehot).sum(dim=(0, 2, 3))
    denom = probs.sum(dim=(0, 2, 3)) + onehot.sum(dim=(0, 2, 3))
    return 1 - ((2 * inter + eps) / (denom + eps)).mean()


class ConfusionMatrix:
    def __init__(self, n):
        self.n = n
        self.mat = torch.zeros(n, n, dtype=torch.int64)

    def update(self, true, pred):
        k = (true >= 0) & (true < self.n)
        inds = self.n * true[k] + pred[k]
        self.mat += torch.bincount(inds, minlength=self.n ** 2).reshape(self.n, self.n)

    def compute(self):
        h = self.mat.float()
        acc = torch.diag(h).sum() / h.sum()
        iou = torch.diag(h) / (h.sum(1) + h.sum(0) - torch.diag(h))
        return acc.item(), iou.numpy()


def train_one_epoch(model, loader, optimizer, class_weights):
    model.train()
    running = 0.0
    for images, masks in loader:
        # random horizontal flip of the whole batch
        if random.random() < 0.5:
            images = torch.flip(images, dims=[3])
            masks = torch.flip(masks, dims=[2])
        optimizer.zero_grad()
        logits = model(images)
        loss = F.cross_entropy(logits, masks, weight=class_weights) + dice_loss(logits, masks)
        loss.backward()
        optimizer.step()
        running += loss.item() * images.size(0)
    return running / len(loader.dataset)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    confmat = ConfusionMatrix(NUM_CLASSES)
    total = 0.0
    for images, masks in loader:
        logits = model(images)
        total += F.cross_entropy(logits, masks, reduction="sum").item()
        pred = logits.argmax(1)
        confmat.update(masks.flatten(), pred.flatten())
    acc, iou = confmat.compute()
    return total / (len(loader.dataset) * 32 * 32), acc, iou


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    random.seed(args.seed)

    full = ShapesDataset(160, seed=args.seed)
    train_set, val_set = random_split(full, [120, 40])
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, num_workers=0)
    val_loader = DataLoader(val_set, batch_size=args.batch_size, num_workers=0)

    # inverse-frequency class weights from the training masks
    counts = np.zeros(NUM_CLASSES)
    for _, m in train_set:
        counts += np.bincount(m.numpy().ravel(), minlength=NUM_CLASSES)
    weights = torch.tensor(counts.sum() / (NUM_CLASSES * counts), dtype=torch.float32).sqrt()
    print("class weights:", weights)

    model = UNet()
    print("parameters:", sum(p.numel() for p in model.parameters() if p.requires_grad))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=1e-5)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.3)

    with tempfile.TemporaryDirectory() as ckpt_dir:
        best_path = os.path.join(ckpt_dir, "best_unet.pth")
        best_miou = -1.0
        for epoch in range(1, args.epochs + 1):
            tr_loss = train_one_epoch(model, train_loader, optimizer, weights)
            val_loss, acc, iou = evaluate(model, val_loader)
            scheduler.step()
            miou = iou.mean()
            print(f"epoch {epoch:2d} | train {tr_loss:.4f} | val {val_loss:.4f} | acc {acc:.4f} | mIoU {miou:.4f}")
            if miou > best_miou:
                best_miou = miou
                torch.save({"epoch": epoch, "model": model.state_dict()}, best_path)

        checkpoint = torch.load(best_path)
        model = UNet()
        model.load_state_dict(checkpoint["model"])

    val_loss, acc, iou = evaluate(model, val_loader)
    print(f"\nbest epoch: {checkpoint['epoch']}")
    print(f"pixel accuracy: {acc:.4f}")
    for name, v in zip(CLASSES, iou):
        print(f"IoU {name:<10s}: {v:.4f}")
    print(f"mean IoU: {np.nanmean(iou):.4f}")


if __name__ == "__main__":
    main()

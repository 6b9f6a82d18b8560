import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class PennFudanLike(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, idx):
        corner = torch.rand(2, 2) * 8
        boxes = torch.cat([corner, corner + 4], dim=1)
        return torch.rand(3, 16, 16), {"boxes": boxes, "labels": torch.ones(2, dtype=torch.int64)}


def collate_fn(batch):
    return tuple(zip(*batch))


class Detector(nn.Module):
    def __init__(self, classes=2, slots=2):
        super().__init__()
        self.slots, self.classes = slots, classes
        self.backbone = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.box = nn.Linear(16, 4 * slots)
        self.cls = nn.Linear(16, classes * slots)

    def forward(self, images, targets):
        h = self.backbone(torch.stack(images))
        boxes = self.box(h).view(len(images), self.slots, 4)
        logits = self.cls(h).view(len(images), self.slots, self.classes)
        loss_box = torch.stack([F.l1_loss(b, t["boxes"]) for b, t in zip(boxes, targets)]).mean()
        loss_cls = torch.stack([F.cross_entropy(c, t["labels"]) for c, t in zip(logits, targets)]).mean()
        return {"loss_box": loss_box, "loss_cls": loss_cls}


def train_one_epoch(model, optimizer, data_loader, device):
    model.train()
    for images, targets in data_loader:
        images = list(image.to(device) for image in images)
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
        loss_dict = model(images, targets)
        losses = sum(loss for loss in loss_dict.values())
        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
    return losses.item()


def main():
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    model = Detector()
    model.to(device)
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=0.005, momentum=0.9, weight_decay=0.0005)
    loader = DataLoader(PennFudanLike(), batch_size=2, shuffle=True, collate_fn=collate_fn)
    print(train_one_epoch(model, optimizer, loader, device))


if __name__ == "__main__":
    main()

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(2024)

IMG_SIZE = 48
STRIDE = 4
NUM_CLASSES = 2          # 0 = bright square, 1 = hollow frame
BATCH = 8
EPOCHS = 6

Target = Dict[str, Tensor]


# ----------------------------------------------------------------------------
# data
# ----------------------------------------------------------------------------
class ToyBoxes(Dataset):
    """1 to 3 objects per image; boxes are xyxy in pixels, like torchvision's references."""

    def __init__(self, length: int, seed: int) -> None:
        g = torch.Generator().manual_seed(seed)
        self.samples: List[Tuple[Tensor, Target]] = [self._make(i, g) for i in range(length)]

    @staticmethod
    def _make(image_id: int, g: torch.Generator) -> Tuple[Tensor, Target]:
        img = 0.35 * torch.randn(1, IMG_SIZE, IMG_SIZE, generator=g)
        n = int(torch.randint(1, 4, (1,), generator=g))
        boxes: List[List[int]] = []
        labels: List[int] = []
        tries = 0
        while len(boxes) < n and tries < 50:
            tries += 1
            w, h = torch.randint(8, 17, (2,), generator=g).tolist()
            x = int(torch.randint(0, IMG_SIZE - w, (1,), generator=g))
            y = int(torch.randint(0, IMG_SIZE - h, (1,), generator=g))
            cand = [x, y, x + w, y + h]
            if boxes and box_iou(torch.tensor([cand]).float(), torch.tensor(boxes).float()).max() > 0:
                continue
            label = int(torch.randint(0, NUM_CLASSES, (1,), generator=g))
            img[:, y:y + h, x:x + w] += 1.0
            if label == 1:
                img[:, y + 2:y + h - 2, x + 2:x + w - 2] -= 1.0
            boxes.append(cand)
            labels.append(label)
        target = {
            "boxes": torch.tensor(boxes, dtype=torch.float32),
            "labels": torch.tensor(labels, dtype=torch.int64),
            "image_id": torch.tensor([image_id]),
        }
        return img, target

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, i: int) -> Tuple[Tensor, Target]:
        return self.samples[i]


def collate_fn(batch):
    return tuple(zip(*batch))


# ----------------------------------------------------------------------------
# box helpers
# ----------------------------------------------------------------------------
def box_area(b: Tensor) -> Tensor:
    return (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (box_area(a)[:, None] + box_area(b)[None, :] - inter + 1e-9)


def nms(boxes: Tensor, scores: Tensor, thr: float = 0.4) -> Tensor:
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0]
        keep.append(i.item())
        if order.numel() == 1:
            break
        ious = box_iou(boxes[i].unsqueeze(0), boxes[order[1:]])[0]
        order = order[1:][ious <= thr]
    return torch.tensor(keep, dtype=torch.long)


# ----------------------------------------------------------------------------
# model (FCOS flavoured, one level)
# ----------------------------------------------------------------------------
class TinyFCOS(nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()

        def block(i: int, o: int, s: int) -> nn.Sequential:
            return nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.GroupNorm(4, o), nn.ReLU())

        self.backbone = nn.Sequential(block(1, 12, 2), block(12, width, 2), block(width, width, 1), block(width, width, 1))
        self.cls_head = nn.Conv2d(width, NUM_CLASSES, 3, padding=1)
        self.reg_head = nn.Conv2d(width, 4, 3, padding=1)
        prior = 0.02
        nn.init.constant_(self.cls_head.bias, -math.log((1 - prior) / prior))

    def locations(self, h: int, w: int) -> Tensor:
        ys = torch.arange(h) * STRIDE + STRIDE // 2
        xs = torch.arange(w) * STRIDE + STRIDE // 2
        gy, gx = torch.meshgrid(ys, xs, indexing="ij")
        return torch.stack([gx, gy], dim=-1).reshape(-1, 2).float()

    def assign(self, locs: Tensor, target: Target) -> Tuple[Tensor, Tensor]:
        """label per location (-1 = background) and the ltrb distances."""
        boxes, labels = target["boxes"], target["labels"]
        d = torch.cat([locs[:, None] - boxes[None, :, :2], boxes[None, :, 2:] - locs[:, None]], dim=-1)
        centres = (boxes[:, :2] + boxes[:, 2:]) / 2
        near = (locs[:, None] - centres[None]).abs().max(dim=-1).values <= 1.25 * STRIDE
        inside = (d.min(dim=-1).values > 0) & near
        area = box_area(boxes)[None].repeat(len(locs), 1)
        area[~inside] = float("inf")
        best, idx = area.min(dim=1)
        cls = labels[idx].clone()
        cls[best == float("inf")] = -1
        return cls, d[torch.arange(len(locs)), idx]

    def forward(self, images, targets=None):
        x = torch.stack(list(images))
        f = self.backbone(x)
        n, _, h, w = f.shape
        locs = self.locations(h, w)
        cls = self.cls_head(f).permute(0, 2, 3, 1).reshape(n, h * w, NUM_CLASSES)
        reg = torch.exp(self.reg_head(f).clamp(max=4)).permute(0, 2, 3, 1).reshape(n, h * w, 4) * STRIDE
        if targets is not None:
            return self.losses(cls, reg, locs, targets)
        return [self.decode(c, r, locs) for c, r in zip(cls, reg)]

    def losses(self, cls, reg, locs, targets) -> Dict[str, Tensor]:
        assigned = [self.assign(locs, t) for t in targets]
        gt_cls = torch.stack([a[0] for a in assigned])
        gt_reg = torch.stack([a[1] for a in assigned])
        pos = gt_cls >= 0
        n_pos = pos.sum().clamp(min=1)
        onehot = torch.zeros_like(cls)
        onehot[pos, gt_cls[pos]] = 1.0
        # focal loss
        p = cls.sigmoid()
        ce = nn.functional.binary_cross_entropy_with_logits(cls, onehot, reduction="none")
        pt = p * onehot + (1 - p) * (1 - onehot)
        alpha = 0.25 * onehot + 0.75 * (1 - onehot)
        cls_loss = (alpha * (1 - pt) ** 2 * ce).sum() / n_pos
        # IoU loss on the ltrb distances
        a, b = reg[pos], gt_reg[pos]
        inter = (torch.min(a[:, 0], b[:, 0]) + torch.min(a[:, 2], b[:, 2])) * \
                (torch.min(a[:, 1], b[:, 1]) + torch.min(a[:, 3], b[:, 3]))
        area_a = (a[:, 0] + a[:, 2]) * (a[:, 1] + a[:, 3])
        area_b = (b[:, 0] + b[:, 2]) * (b[:, 1] + b[:, 3])
        iou = inter / (area_a + area_b - inter)
        reg_loss = -torch.log(iou.clamp(min=1e-6)).sum() / n_pos
        return {"cls": cls_loss, "reg": reg_loss}

    def decode(self, cls: Tensor, reg: Tensor, locs: Tensor, score_thr: float = 0.3) -> Target:
        scores, labels = cls.sigmoid().max(dim=1)
        keep = scores > score_thr
        scores, labels, reg, locs = scores[keep], labels[keep], reg[keep], locs[keep]
        boxes = torch.cat([locs - reg[:, :2], locs + reg[:, 2:]], dim=1).clamp(0, IMG_SIZE)
        k = nms(boxes, scores)
        return {"boxes": boxes[k], "scores": scores[k], "labels": labels[k]}


# ----------------------------------------------------------------------------
# metrics
# ----------------------------------------------------------------------------
def average_precision(preds: List[Target], gts: List[Target], cls: int, thr: float = 0.5) -> float:
    records = []
    n_gt = 0
    for p, g in zip(preds, gts):
        gt_boxes = g["boxes"][g["labels"] == cls]
        n_gt += len(gt_boxes)
        used = torch.zeros(len(gt_boxes), dtype=torch.bool)
        m = p["labels"] == cls
        for box, score in zip(p["boxes"][m], p["scores"][m]):
            hit = False
            if len(gt_boxes) > 0:
                iou = box_iou(box[None], gt_boxes)[0]
                iou[used] = 0
                j = iou.argmax()
                if iou[j] >= thr:
                    used[j] = True
                    hit = True
            records.append((score.item(), hit))
    records.sort(key=lambda r: -r[0])
    tp = torch.tensor([float(r[1]) for r in records]).cumsum(0)
    recall = tp / max(n_gt, 1)
    precision = tp / torch.arange(1, len(records) + 1)
    ap = 0.0
    for t in torch.linspace(0, 1, 11):
        above = precision[recall >= t]
        ap += above.max().item() / 11 if above.numel() else 0.0
    return ap


@torch.inference_mode()
def evaluate(model: nn.Module, loader: DataLoader) -> List[float]:
    model.eval()
    preds, gts = [], []
    for images, targets in loader:
        preds.extend(model(images))
        gts.extend(targets)
    return [average_precision(preds, gts, c) for c in range(NUM_CLASSES)]


if __name__ == "__main__":
    train_loader = DataLoader(ToyBoxes(144, seed=1), batch_size=BATCH, shuffle=True, collate_fn=collate_fn)
    test_loader = DataLoader(ToyBoxes(40, seed=2), batch_size=BATCH, collate_fn=collate_fn)
    model = TinyFCOS()
    optim = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(optim, max_lr=6e-3, total_steps=EPOCHS * len(train_loader))

    for epoch in range(EPOCHS):
        model.train()
        sums: Dict[str, float] = {"cls": 0.0, "reg": 0.0}
        for images, targets in train_loader:
            loss_dict = model(images, targets)
            loss = sum(loss_dict.values())
            optim.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optim.step()
            sched.step()
            for k, v in loss_dict.items():
                sums[k] += v.item() / len(train_loader)
        print(f"[{epoch + 1:02d}/{EPOCHS}] " + "  ".join(f"{k}={v:.4f}" for k, v in sums.items()))

    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp) / "detector.pt"
        torch.save(model.state_dict(), path)
        reloaded = TinyFCOS()
        reloaded.load_state_dict(torch.load(path, weights_only=True))

    aps = evaluate(reloaded, test_loader)
    for c, ap in enumerate(aps):
        print(f"AP50 class {c}: {ap:.4f}")
    print(f"mAP50: {sum(aps) / len(aps):.4f}")

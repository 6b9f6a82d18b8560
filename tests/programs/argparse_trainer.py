"""
Train a small residual MLP on a synthetic tabular problem with numeric and
categorical columns.

    python argparse_trainer.py --epochs 12 --lr 2e-3 --optimizer adamw
    python argparse_trainer.py --resume path/to/last.pt
"""
import argparse
import json
import logging
import math
import os
import random
import shutil
import sys
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

logging.basicConfig(format="%(levelname)s | %(message)s", level=logging.INFO, stream=sys.stdout)
logger = logging.getLogger("train")

CARDINALITIES = (7, 12, 4)
NUM_NUMERIC = 10
NUM_CLASSES = 3


def get_args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--weight-decay", type=float, default=1e-2)
    p.add_argument("--optimizer", choices=["adamw", "sgd"], default="adamw")
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--blocks", type=int, default=2)
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--label-smoothing", type=float, default=0.05)
    p.add_argument("--clip", type=float, default=1.0)
    p.add_argument("--ema", type=float, default=0.98, help="decay of the weight average, 0 to disable")
    p.add_argument("--warmup", type=int, default=20, help="warm-up steps")
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--out", default=None, help="output folder (default: a temporary one)")
    p.add_argument("--resume", default=None)
    return p.parse_args()


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class TabularDataset(Dataset):
    """Rows as dicts: {'num': float[10], 'cat': long[3], 'label': int}."""

    def __init__(self, num, cat, label):
        self.num = num.astype(np.float32)
        self.cat = cat
        self.label = label

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return {"num": self.num[i], "cat": self.cat[i], "label": int(self.label[i])}


def make_data(seed, n=4000):
    rng = np.random.RandomState(seed)
    num = rng.randn(n, NUM_NUMERIC)
    cat = np.stack([rng.randint(0, c, size=n) for c in CARDINALITIES], axis=1)
    effects = [rng.randn(c) for c in CARDINALITIES]
    z = np.sin(2 * num[:, 0]) + num[:, 1] * num[:, 2] + 0.5 * num[:, 3]
    z = z + sum(e[cat[:, j]] for j, e in enumerate(effects)) + 0.3 * rng.randn(n)
    # imbalanced on purpose
    label = np.digitize(z, np.quantile(z, [0.55, 0.85]))
    missing = rng.rand(n, NUM_NUMERIC) < 0.05
    num[missing] = np.nan
    cut = int(0.8 * n)
    return TabularDataset(num[:cut], cat[:cut], label[:cut]), TabularDataset(num[cut:], cat[cut:], label[cut:])


class ResidualBlock(nn.Module):
    def __init__(self, dim, dropout):
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Linear(dim, dim * 2),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(dim * 2, dim),
        )

    def forward(self, x):
        return x + self.net(x)


class TabularNet(nn.Module):
    def __init__(self, hidden, blocks, dropout):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(c, 8) for c in CARDINALITIES])
        self.fill = nn.Parameter(torch.zeros(NUM_NUMERIC))
        self.inp = nn.Linear(2 * NUM_NUMERIC + 8 * len(CARDINALITIES), hidden)
        self.blocks = nn.Sequential(*[ResidualBlock(hidden, dropout) for _ in range(blocks)])
        self.head = nn.Linear(hidden, NUM_CLASSES)

    def forward(self, num, cat):
        missing = torch.isnan(num)
        num = torch.where(missing, self.fill, num)
        emb = [e(cat[:, j]) for j, e in enumerate(self.embeddings)]
        x = torch.cat([num, missing.float()] + emb, dim=1)
        return self.head(self.blocks(self.inp(x)))


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)


def macro_f1(y_true, y_pred):
    scores = []
    for c in range(NUM_CLASSES):
        tp = np.sum((y_pred == c) & (y_true == c))
        fp = np.sum((y_pred == c) & (y_true != c))
        fn = np.sum((y_pred != c) & (y_true == c))
        scores.append(2 * tp / max(2 * tp + fp + fn, 1))
    return float(np.mean(scores))


def train_one_epoch(model, ema, loader, criterion, optimizer, scheduler, args):
    model.train()
    losses, norms = [], []
    for batch in loader:
        logits = model(batch["num"], batch["cat"])
        loss = criterion(logits, batch["label"])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        scheduler.step()
        if ema is not None:
            ema.update(model)
        losses.append(loss.detach())
        norms.append(norm)
    return torch.stack(losses).mean().item(), torch.stack(norms).max().item()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    preds, targets, total = [], [], 0.0
    for batch in loader:
        logits = model(batch["num"], batch["cat"])
        total += nn.functional.cross_entropy(logits, batch["label"], reduction="sum").item()
        preds.append(logits.argmax(dim=-1))
        targets.append(batch["label"])
    preds = torch.cat(preds).numpy()
    targets = torch.cat(targets).numpy()
    return {
        "loss": total / len(targets),
        "acc": float((preds == targets).mean()),
        "f1": macro_f1(targets, preds),
    }


def main():
    args = get_args()
    set_seed(args.seed)

    out = args.out or tempfile.mkdtemp(prefix="tabular_")
    os.makedirs(out, exist_ok=True)

    train_ds, val_ds = make_data(args.seed)
    counts = np.bincount(train_ds.label, minlength=NUM_CLASSES)
    logger.info("class counts: %s", counts.tolist())
    weights = 1.0 / np.sqrt(counts)
    sampler = WeightedRandomSampler(weights[train_ds.label].tolist(), num_samples=len(train_ds))
    train_loader = DataLoader(train_ds, batch_size=args.batch_size, sampler=sampler, drop_last=True, num_workers=0)
    val_loader = DataLoader(val_ds, batch_size=512, num_workers=0)

    model = TabularNet(args.hidden, args.blocks, args.dropout)
    logger.info("%.1fk parameters", sum(p.numel() for p in model.parameters()) / 1e3)

    criterion = nn.CrossEntropyLoss(
        weight=torch.tensor(counts.sum() / (NUM_CLASSES * counts), dtype=torch.float32).sqrt(),
        label_smoothing=args.label_smoothing,
    )
    if args.optimizer == "adamw":
        decay = [p for p in model.parameters() if p.ndim > 1]
        no_decay = [p for p in model.parameters() if p.ndim <= 1]
        optimizer = torch.optim.AdamW(
            [{"params": decay, "weight_decay": args.weight_decay}, {"params": no_decay, "weight_decay": 0.0}],
            lr=args.lr,
        )
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=args.lr * 10, momentum=0.9, nesterov=True)

    total_steps = args.epochs * len(train_loader)

    def lr_lambda(step):
        if step < args.warmup:
            return (step + 1) / args.warmup
        t = (step - args.warmup) / max(1, total_steps - args.warmup)
        return 0.5 * (1 + math.cos(math.pi * t))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda)
    ema = EMA(model, args.ema) if args.ema > 0 else None

    start, best = 0, 0.0
    if args.resume:
        ckpt = torch.load(args.resume)
        model.load_state_dict(ckpt["model"])
        optimizer.load_state_dict(ckpt["optimizer"])
        scheduler.load_state_dict(ckpt["scheduler"])
        if ema is not None:
            ema.shadow = ckpt["ema"]
        start, best = ckpt["epoch"] + 1, ckpt["best"]
        torch.set_rng_state(ckpt["rng"])
        logger.info("resumed at epoch %d", start)

    history = []
    for epoch in range(start, args.epochs):
        loss, norm = train_one_epoch(model, ema, train_loader, criterion, optimizer, scheduler, args)
        metrics = evaluate(model, val_loader)
        history.append({"epoch": epoch, "train_loss": loss, **metrics})
        logger.info(
            "epoch %2d | train %.4f | val %.4f | acc %.4f | f1 %.4f | grad %.2f | lr %.2e",
            epoch, loss, metrics["loss"], metrics["acc"], metrics["f1"], norm, scheduler.get_last_lr()[0],
        )
        state = {
            "epoch": epoch,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "ema": ema.shadow if ema is not None else None,
            "best": max(best, metrics["f1"]),
            "rng": torch.get_rng_state(),
            "args": vars(args),
        }
        torch.save(state, os.path.join(out, "last.pt"))
        if metrics["f1"] > best:
            best = metrics["f1"]
            torch.save(state, os.path.join(out, "best.pt"))

    with open(os.path.join(out, "history.json"), "w") as f:
        json.dump(history, f, indent=2)

    ckpt = torch.load(os.path.join(out, "best.pt"), weights_only=False)
    model.load_state_dict(ckpt["model"])
    final = evaluate(model, val_loader)
    logger.info("best epoch %d: acc %.4f f1 %.4f", ckpt["epoch"], final["acc"], final["f1"])
    if ema is not None:
        model.load_state_dict(ema.shadow)
        avg = evaluate(model, val_loader)
        logger.info("averaged weights: loss %.4f acc %.4f f1 %.4f", avg["loss"], avg["acc"], avg["f1"])
    if args.out is None:
        shutil.rmtree(out)


if __name__ == "__main__":
    main()

from __future__ import annotations

import copy
import dataclasses
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import torch
import torch.nn as nn
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset


@dataclasses.dataclass
class Config:
    epochs: int = 5
    batch_size: int = 32
    lr: float = 6e-3
    accumulate: int = 2
    patience: int = 3
    mask_weight: float = 1.0
    area_weight: float = 0.2
    seed: int = 2024
    verbose: bool = True


class BlobDataset(Dataset):
    """Images with one ellipse and clutter; target is the mask and the area fraction."""

    def __init__(self, length: int, size: int = 24, seed: int = 0, augment: bool = False) -> None:
        self.augment = augment
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[0:size, 0:size]
        self.samples: list[tuple[np.ndarray, np.ndarray]] = []
        for _ in range(length):
            cy, cx = rng.uniform(7, size - 7, size=2)
            ry, rx = rng.uniform(2.5, 6.0, size=2)
            mask = ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 <= 1.0
            image = 0.15 * rng.standard_normal((3, size, size))
            color = rng.uniform(0.4, 1.0, size=3)
            image[:, mask] += color[:, None]
            for _ in range(3):  # distractor lines
                r = rng.integers(0, size)
                image[:, r, :] += rng.uniform(0.2, 0.6)
            self.samples.append((image.astype(np.float32), mask))

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> dict[str, Any]:
        image, mask = self.samples[index]
        image, mask = torch.from_numpy(image), torch.from_numpy(mask).float()
        if self.augment and torch.rand(()) < 0.5:
            image, mask = image.flip(-1), mask.flip(-1)
        return {"image": image, "mask": mask, "area": mask.mean(), "index": index}


def conv_block(cin: int, cout: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class MiniUNet(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.down1 = conv_block(3 + 2, width)
        self.down2 = conv_block(width, width * 2)
        self.middle = conv_block(width * 2, width * 2)
        self.up = nn.ConvTranspose2d(width * 2, width, 2, stride=2)
        self.fuse = conv_block(width * 2, width)
        self.mask_head = nn.Conv2d(width, 1, 1)
        self.area_head = nn.Linear(width * 2, 1)

    def forward(self, image: Tensor) -> dict[str, Tensor]:
        b, _, h, w = image.shape
        # CoordConv-style position channels
        ys = torch.linspace(-1, 1, h).view(1, 1, h, 1).expand(b, 1, h, w)
        xs = torch.linspace(-1, 1, w).view(1, 1, 1, w).expand(b, 1, h, w)
        d1 = self.down1(torch.cat([image, ys, xs], dim=1))
        d2 = self.down2(nn.functional.avg_pool2d(d1, 2))
        m = self.middle(d2)
        u = self.fuse(torch.cat([self.up(m), d1], dim=1))
        return {
            "mask": self.mask_head(u).squeeze(1),
            "area": torch.sigmoid(self.area_head(m.mean(dim=(2, 3)))).squeeze(-1),
        }


def dice_loss(logits: Tensor, target: Tensor, eps: float = 1.0) -> Tensor:
    p = logits.sigmoid()
    inter = (p * target).sum(dim=(1, 2))
    return (1 - (2 * inter + eps) / (p.sum(dim=(1, 2)) + target.sum(dim=(1, 2)) + eps)).mean()


class AverageMeter:
    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def update(self, value: float, n: int = 1) -> None:
        self.total += value * n
        self.count += n

    @property
    def avg(self) -> float:
        return self.total / max(self.count, 1)


class Trainer:
    def __init__(self, model: nn.Module, config: Config, callbacks: list[Callable] | None = None) -> None:
        self.model = model
        self.config = config
        self.callbacks = callbacks or []
        self.optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            self.optimizer, mode="max", factor=0.5, patience=1
        )
        self.bce = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))
        self.mse = nn.MSELoss()
        self.epoch = 0
        self.best_score = float("-inf")
        self.best_state: dict[str, Tensor] | None = None
        self.history: dict[str, list[float]] = defaultdict(list)

    def compute_loss(self, out: dict[str, Tensor], batch: dict[str, Tensor]) -> Tensor:
        seg = self.bce(out["mask"], batch["mask"]) + dice_loss(out["mask"], batch["mask"])
        return self.config.mask_weight * seg + self.config.area_weight * self.mse(out["area"], batch["area"]) * 100

    def fit(self, train_loader: DataLoader, val_loader: DataLoader) -> dict[str, list[float]]:
        bad_epochs = 0
        while self.epoch < self.config.epochs:
            started = time.perf_counter()
            train_loss = self._train_epoch(train_loader)
            metrics = self.evaluate(val_loader)
            self.scheduler.step(metrics["iou"])
            self.history["train_loss"].append(train_loss)
            for k, v in metrics.items():
                self.history[f"val_{k}"].append(v)
            self.history["seconds"].append(time.perf_counter() - started)
            for cb in self.callbacks:
                cb(self)
            self.epoch += 1
            if metrics["iou"] > self.best_score + 1e-4:
                self.best_score = metrics["iou"]
                self.best_state = copy.deepcopy(self.model.state_dict())
                bad_epochs = 0
            else:
                bad_epochs += 1
                if bad_epochs >= self.config.patience:
                    print("early stopping")
                    break
        if self.best_state is not None:
            self.model.load_state_dict(self.best_state)
        return dict(self.history)

    def _train_epoch(self, loader: DataLoader) -> float:
        self.model.train()
        meter = AverageMeter()
        self.optimizer.zero_grad()
        for step, batch in enumerate(loader, start=1):
            loss = self.compute_loss(self.model(batch["image"]), batch)
            (loss / self.config.accumulate).backward()
            if step % self.config.accumulate == 0 or step == len(loader):
                self.optimizer.step()
                self.optimizer.zero_grad()
            meter.update(loss.item(), len(batch["index"]))
        return meter.avg

    @torch.inference_mode()
    def evaluate(self, loader: DataLoader) -> dict[str, float]:
        self.model.eval()
        loss_meter, ious, area_err = AverageMeter(), [], []
        for batch in loader:
            out = self.model(batch["image"])
            loss_meter.update(self.compute_loss(out, batch).item(), batch["image"].size(0))
            pred = out["mask"] > 0
            true = batch["mask"].bool()
            inter = (pred & true).sum(dim=(1, 2)).float()
            union = (pred | true).sum(dim=(1, 2)).clamp(min=1).float()
            ious.append((inter / union).numpy())
            area_err.append(np.abs(out["area"].numpy() - batch["area"].numpy()))
        return {
            "loss": loss_meter.avg,
            "iou": float(np.concatenate(ious).mean()),
            "area_mae": float(np.concatenate(area_err).mean()),
        }

    def predict(self, loader: DataLoader) -> Iterator[tuple[int, np.ndarray]]:
        self.model.eval()
        with torch.no_grad():
            for batch in loader:
                probs = torch.sigmoid(self.model(batch["image"])["mask"])
                for idx, p in zip(batch["index"].tolist(), probs.numpy()):
                    yield idx, p

    def save(self, path: Path) -> None:
        torch.save(
            {
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "scheduler": self.scheduler.state_dict(),
                "epoch": self.epoch,
                "best_score": self.best_score,
                "history": dict(self.history),
                "config": dataclasses.asdict(self.config),
            },
            path,
        )

    @classmethod
    def load(cls, path: Path, model: nn.Module, **overrides: Any) -> Trainer:
        state = torch.load(path)
        trainer = cls(model, Config(**{**state["config"], **overrides}))
        trainer.model.load_state_dict(state["model"])
        trainer.optimizer.load_state_dict(state["optimizer"])
        trainer.scheduler.load_state_dict(state["scheduler"])
        trainer.epoch = state["epoch"]
        trainer.best_score = state["best_score"]
        trainer.history.update(state["history"])
        return trainer


def print_progress(trainer: Trainer) -> None:
    if trainer.config.verbose:
        h = trainer.history
        print(
            f"[{trainer.epoch + 1}/{trainer.config.epochs}] loss={h['train_loss'][-1]:.4f} "
            f"val_loss={h['val_loss'][-1]:.4f} iou={h['val_iou'][-1]:.4f} mae={h['val_area_mae'][-1]:.4f}"
        )


def main() -> None:
    config = Config()
    torch.manual_seed(config.seed)
    g = torch.Generator().manual_seed(config.seed)

    train_set = BlobDataset(288, seed=1, augment=True)
    held_out = BlobDataset(192, seed=2)
    val_set, test_set = Subset(held_out, range(96)), Subset(held_out, range(96, 192))
    train_loader = DataLoader(train_set, config.batch_size, shuffle=True, generator=g)
    val_loader = DataLoader(val_set, 48)
    test_loader = DataLoader(test_set, 48)

    trainer = Trainer(MiniUNet(), config, callbacks=[print_progress])
    trainer.fit(train_loader, val_loader)
    before = trainer.evaluate(test_loader)
    print(f"test: iou={before['iou']:.4f} area_mae={before['area_mae']:.4f}")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trainer.pt"
        trainer.save(path)
        resumed = Trainer.load(path, MiniUNet(), epochs=config.epochs + 2)
    after = resumed.evaluate(test_loader)
    assert np.isclose(before["iou"], after["iou"]), (before, after)

    resumed.callbacks.append(print_progress)
    resumed.fit(train_loader, val_loader)
    final = resumed.evaluate(test_loader)
    worst = min(
        ((idx, float(((p > 0.5) == held_out.samples[idx][1]).mean())) for idx, p in resumed.predict(test_loader)),
        key=lambda t: t[1],
    )
    print(f"after 2 more epochs: iou={final['iou']:.4f} area_mae={final['area_mae']:.4f} loss={final['loss']:.4f}")
    print(f"worst image {worst[0]}: pixel accuracy {worst[1]:.4f}")


if __name__ == "__main__":
    main()

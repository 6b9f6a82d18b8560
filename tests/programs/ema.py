#!/usr/bin/env python3
"""Denoising autoencoder + classifier head, trained with an EMA of the weights.

The EMA class is adapted from what floats around in the timm / score-sde code bases.
"""
import contextlib
import copy
import os
import tempfile
import typing as tp

import numpy as np
import torch
from torch import nn


class ModelEma(nn.Module):
    """Keeps a moving average of everything in the model state_dict (parameters and buffers)."""

    def __init__(self, model: nn.Module, decay: float = 0.999, warmup: bool = True):
        super().__init__()
        self.module = copy.deepcopy(model)
        self.module.eval()
        for p in self.module.parameters():
            p.requires_grad_(False)
        self.decay = decay
        self.warmup = warmup
        self.register_buffer("num_updates", torch.tensor(0))

    def get_decay(self) -> float:
        if self.warmup:
            n = self.num_updates.item()
            return min(self.decay, (1 + n) / (10 + n))
        return self.decay

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.num_updates += 1
        d = self.get_decay()
        for ema_v, model_v in zip(self.module.state_dict().values(), model.state_dict().values()):
            if ema_v.dtype.is_floating_point:
                ema_v.mul_(d).add_(model_v, alpha=1.0 - d)
            else:
                ema_v.copy_(model_v)

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)


@contextlib.contextmanager
def swapped_weights(model: nn.Module, other: nn.Module):
    """Evaluate `model` with the weights of `other`, then put its own weights back."""
    backup = {k: v.detach().clone() for k, v in model.state_dict().items()}
    model.load_state_dict(other.state_dict())
    try:
        yield model
    finally:
        model.load_state_dict(backup)


class ResBlock(nn.Module):
    def __init__(self, dim: int, p: float):
        super().__init__()
        self.norm = nn.BatchNorm1d(dim)
        self.lin1 = nn.Linear(dim, dim)
        self.lin2 = nn.Linear(dim, dim)
        self.act = nn.SiLU()
        self.drop = nn.Dropout(p)

    def forward(self, x):
        h = self.lin1(self.act(self.norm(x)))
        return x + self.lin2(self.drop(self.act(h)))


class Net(nn.Module):
    def __init__(self, d_in: int, n_classes: int, dim: int = 64, depth: int = 2, p: float = 0.1):
        super().__init__()
        self.stem = nn.Linear(d_in, dim)
        self.blocks = nn.Sequential(*[ResBlock(dim, p) for _ in range(depth)])
        self.head = nn.Linear(dim, n_classes)
        self.decoder = nn.Linear(dim, d_in)

    def forward(self, x) -> tp.Tuple[torch.Tensor, torch.Tensor]:
        noise = torch.zeros_like(x)
        if self.training:
            noise = torch.randn(x.shape) * 0.5
        z = self.blocks(self.stem(x + noise))
        return self.head(z), self.decoder(z)


def spirals(n: int, n_arms: int, rng: np.random.Generator, label_noise: float = 0.0):
    """Spiral arms embedded in 10 dimensions by a random rotation (fixed by seed 0)."""
    arm = rng.integers(0, n_arms, n)
    r = rng.uniform(0.3, 3.0, n)
    theta = 1.8 * r + 2 * np.pi * arm / n_arms + rng.normal(0, 0.12, n)
    pts = np.stack([r * np.cos(theta), r * np.sin(theta)], axis=1)
    lift = np.random.default_rng(0).normal(size=(2, 10))
    x = pts @ lift + rng.normal(0, 0.1, (n, 10))
    flip = rng.random(n) < label_noise
    arm = np.where(flip, rng.integers(0, n_arms, n), arm)
    return x.astype("float32"), arm.astype("int64")


def batches(x: np.ndarray, y: np.ndarray, bs: int, rng: tp.Optional[np.random.Generator] = None):
    order = np.arange(len(x)) if rng is None else rng.permutation(len(x))
    for i in range(0, len(x), bs):
        sel = order[i:i + bs]
        yield torch.from_numpy(x[sel]), torch.from_numpy(y[sel])


@torch.no_grad()
def evaluate(model: nn.Module, x: np.ndarray, y: np.ndarray) -> tp.Dict[str, float]:
    model.eval()
    probs, recon = [], 0.0
    for xb, yb in batches(x, y, 256):
        logits, rec = model(xb)
        probs.append(torch.softmax(logits, dim=-1).numpy())
        recon += ((rec - xb) ** 2).sum().item()
    probs = np.concatenate(probs)
    conf, pred = probs.max(1), probs.argmax(1)
    # expected calibration error
    ece = 0.0
    edges = np.linspace(0, 1, 11)
    for lo, hi in zip(edges[:-1], edges[1:]):
        m = (conf > lo) & (conf <= hi)
        if m.any():
            ece += m.mean() * abs((pred[m] == y[m]).mean() - conf[m].mean())
    return {
        "acc": float((pred == y).mean()),
        "nll": float(-np.log(probs[np.arange(len(y)), y] + 1e-12).mean()),
        "ece": float(ece),
        "mse": recon / x.size,
    }


def fmt(d: tp.Dict[str, float]) -> str:
    return " ".join(f"{k}={v:.4f}" for k, v in d.items())


def run(epochs: int = 8, bs: int = 64, lr: float = 4e-3, decay: float = 0.98, seed: int = 5) -> None:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    xtr, ytr = spirals(2000, 5, rng, label_noise=0.15)
    xva, yva = spirals(800, 5, rng)

    model = Net(10, 5)
    ema = ModelEma(model, decay=decay)
    # no weight decay for biases and norms
    decay_p = [p for n, p in model.named_parameters() if p.ndim > 1]
    no_decay_p = [p for n, p in model.named_parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW([{"params": decay_p, "weight_decay": 1e-2},
                             {"params": no_decay_p, "weight_decay": 0.0}], lr=lr)
    ce = nn.CrossEntropyLoss()

    ckpt = os.path.join(tempfile.mkdtemp(), "last.ckpt")
    for epoch in range(epochs):
        if epoch == epochs // 2:
            # pretend that the job was preempted: rebuild everything from the checkpoint
            state = torch.load(ckpt)
            model.load_state_dict(state["model"])
            ema.load_state_dict(state["ema"])
            opt.load_state_dict(state["opt"])
            torch.set_rng_state(state["rng"])
            assert state["epoch"] == epoch - 1
        model.train()
        avg = 0.0
        for step, (xb, yb) in enumerate(batches(xtr, ytr, bs, rng)):
            logits, rec = model(xb)
            loss = ce(logits, yb) + 0.2 * ((rec - xb) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.update(model)
            avg += (loss.item() - avg) / (step + 1)
        torch.save({"model": model.state_dict(), "ema": ema.state_dict(), "opt": opt.state_dict(),
                    "rng": torch.get_rng_state(), "epoch": epoch}, ckpt)
        if epoch % 2 == 1:
            print(f"epoch {epoch + 1:3d} loss {avg:.4f} | raw: {fmt(evaluate(model, xva, yva))}"
                  f" | ema: {fmt(evaluate(ema, xva, yva))}")

    raw = evaluate(model, xva, yva)
    averaged = evaluate(ema, xva, yva)
    with swapped_weights(model, ema.module) as m:
        swapped = evaluate(m, xva, yva)
    assert swapped == averaged
    dist = sum((a - b).pow(2).sum() for a, b in zip(model.parameters(), ema.module.parameters())).sqrt()
    print("final raw:", fmt(raw))
    print("final ema:", fmt(averaged))
    print(f"||theta - theta_ema|| = {dist.item():.4f}  updates = {int(ema.num_updates)}")
    os.remove(ckpt)
    os.rmdir(os.path.dirname(ckpt))


if __name__ == "__main__":
    run()

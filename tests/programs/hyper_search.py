"""
Random search over the hyper-parameters of a small GRU / TCN forecaster.

    python hyper_search.py
    python hyper_search.py --trials 12 --epochs 5
"""
import argparse
import itertools
import json
import random
import tempfile
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import torch
import torch.nn as nn
from torch import optim
from torch.utils.data import DataLoader, TensorDataset


SEARCH_SPACE: dict[str, Callable[[random.Random], Any]] = {
    "arch": lambda r: r.choice(["gru", "tcn"]),
    "hidden": lambda r: r.choice([8, 12, 16]),
    "layers": lambda r: r.randint(1, 2),
    "lr": lambda r: 10 ** r.uniform(-2.5, -1.5),
    "batch_size": lambda r: r.choice([32, 64]),
    "optimizer": lambda r: r.choice(["Adam", "RMSprop"]),
    "dropout": lambda r: round(r.uniform(0.0, 0.3), 2),
}


class Splits(NamedTuple):
    train: TensorDataset
    valid: TensorDataset
    test: TensorDataset
    scale: float


class Trial(NamedTuple):
    number: int
    params: dict
    score: float
    epochs_run: int


def build_series(length: int = 420) -> np.ndarray:
    t = np.arange(length)
    daily = np.sin(2 * np.pi * t / 24)
    weekly = 0.6 * np.sin(2 * np.pi * t / 168 + 0.4)
    ar = np.zeros(length)
    for i in range(1, length):
        ar[i] = 0.8 * ar[i - 1] + np.random.normal(0, 0.15)
    return (10 + 3 * daily + 3 * weekly * (daily > 0) + ar).astype(np.float32)


def build_splits(window: int = 24, horizon: int = 4) -> Splits:
    series = build_series()
    n_train = int(0.7 * len(series))
    mu, sigma = series[:n_train].mean(), series[:n_train].std()
    z = torch.from_numpy((series - mu) / sigma)
    frames = z.unfold(0, window + horizon, 1)
    x, y = frames[:, :window].unsqueeze(-1), frames[:, window:]
    a, b = int(0.7 * len(x)), int(0.85 * len(x))
    return Splits(TensorDataset(x[:a], y[:a]), TensorDataset(x[a:b], y[a:b]), TensorDataset(x[b:], y[b:]), float(sigma))


class GRUForecaster(nn.Module):
    def __init__(self, hidden: int, layers: int, dropout: float, horizon: int):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.rnn = nn.GRU(1, hidden, layers, batch_first=True, dropout=dropout if layers > 1 else 0.0)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(hidden, horizon)

    def forward(self, x):
        h0 = torch.zeros(self.layers, x.size(0), self.hidden)
        _, h = self.rnn(x, h0)
        return self.out(self.drop(h[-1])) + x[:, -1]


class TCNForecaster(nn.Module):
    def __init__(self, hidden: int, layers: int, dropout: float, horizon: int):
        super().__init__()
        blocks, c = [], 1
        for i in range(layers + 1):
            d = 2 ** i
            blocks += [nn.ConstantPad1d((2 * d, 0), 0.0), nn.Conv1d(c, hidden, 3, dilation=d), nn.ReLU(), nn.Dropout(dropout)]
            c = hidden
        self.net = nn.Sequential(*blocks)
        self.out = nn.Linear(hidden, horizon)

    def forward(self, x):
        h = self.net(x.transpose(1, 2))
        return self.out(h[:, :, -1]) + x[:, -1]


def make_model(p: dict, horizon: int = 4) -> nn.Module:
    cls = {"gru": GRUForecaster, "tcn": TCNForecaster}[p["arch"]]
    return cls(p["hidden"], p["layers"], p["dropout"], horizon)


def mae(model: nn.Module, ds: TensorDataset) -> float:
    model.eval()
    errs = []
    with torch.no_grad():
        for xb, yb in DataLoader(ds, batch_size=256):
            errs.append((model(xb) - yb).abs().mean(dim=1))
    return torch.cat(errs).mean().item()


def train_and_score(
    p: dict,
    splits: Splits,
    epochs: int,
    seed: int,
    prune_at: Optional[list[float]] = None,
    save_to: Optional[Path] = None,
) -> tuple[float, list[float]]:
    """Train one configuration; returns (best validation MAE, curve). Stops early if it is far behind `prune_at`."""
    torch.manual_seed(seed)
    model = make_model(p)
    opt = getattr(optim, p["optimizer"])(model.parameters(), lr=p["lr"])
    loss_fn = nn.SmoothL1Loss()
    loader = DataLoader(splits.train, batch_size=p["batch_size"], shuffle=True)
    best, curve = float("inf"), []
    for epoch in range(epochs):
        model.train()
        for xb, yb in loader:
            opt.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            nn.utils.clip_grad_value_(model.parameters(), 1.0)
            opt.step()
        score = mae(model, splits.valid)
        curve.append(score)
        if score < best:
            best = score
            if save_to is not None:
                torch.save({"params": p, "state_dict": model.state_dict(), "epoch": epoch, "valid_mae": score}, save_to)
        if prune_at is not None and score > 1.6 * prune_at[min(epoch, len(prune_at) - 1)]:
            break
    return best, curve


def random_search(splits: Splits, n_trials: int, epochs: int, rng: random.Random, log: Path) -> list[Trial]:
    trials: list[Trial] = []
    best_curve = None
    for number in range(n_trials):
        params = {k: draw(rng) for k, draw in SEARCH_SPACE.items()}
        score, curve = train_and_score(params, splits, epochs, seed=100 + number, prune_at=best_curve)
        trial = Trial(number, params, score, len(curve))
        if not trials or score < min(t.score for t in trials):
            best_curve = curve
        trials.append(trial)
        with log.open("a") as f:
            f.write(json.dumps(trial._asdict()) + "\n")
        pruned = " (pruned)" if len(curve) < epochs else ""
        print(f"trial {number:2d}  mae {score:.4f}{pruned}  {params['arch']} h={params['hidden']} l={params['layers']} "
              f"lr={params['lr']:.5f} bs={params['batch_size']} {params['optimizer']} drop={params['dropout']}")
    return trials


def refine_grid(best: dict, splits: Splits, epochs: int) -> dict:
    """A tiny grid around the winner."""
    scored = []
    for lr_mult, drop in itertools.product([0.5, 1.0], [0.0, best["dropout"]]):
        p = {**best, "lr": best["lr"] * lr_mult, "dropout": drop}
        score, _ = train_and_score(p, splits, epochs, seed=500)
        scored.append((score, p))
    scored.sort(key=lambda s: s[0])
    print("grid scores:", ", ".join(f"{s:.4f}" for s, _ in scored))
    return scored[0][1]


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--trials", type=int, default=5)
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--final-epochs", type=int, default=4)
    ap.add_argument("--seed", type=int, default=99)
    args = ap.parse_args(argv)

    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    rng = random.Random(args.seed)
    splits = build_splits()

    with tempfile.TemporaryDirectory() as d:
        log = Path(d) / "trials.jsonl"
        random_search(splits, args.trials, args.epochs, rng, log)
        rows = [json.loads(line) for line in log.read_text().splitlines()]
        best = min(rows, key=lambda r: r["score"])
        print(f"best trial: {best['number']} with {best['score']:.4f}")

        params = refine_grid(best["params"], splits, args.epochs)

        ckpt_path = Path(d) / "final.pt"
        valid, curve = train_and_score(params, splits, args.final_epochs, seed=args.seed, save_to=ckpt_path)
        ckpt = torch.load(ckpt_path)
        model = make_model(ckpt["params"])
        model.load_state_dict(ckpt["state_dict"])

    assert abs(mae(model, splits.valid) - valid) < 1e-6
    x_test, y_test = splits.test.tensors
    naive = (x_test[:, -1] - y_test).abs().mean().item()
    test = mae(model, splits.test)
    with torch.no_grad():
        per_step = (model(x_test) - y_test).abs().mean(0).numpy() * splits.scale
    print(f"final: epoch {ckpt['epoch'] + 1}/{args.final_epochs}, valid MAE {valid:.4f}, test MAE {test:.4f}, naive {naive:.4f}")
    print("MAE by horizon (original units):", np.array2string(per_step, precision=4))


if __name__ == "__main__":
    main()

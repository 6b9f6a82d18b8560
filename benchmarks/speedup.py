"""What a fix is worth: a CNN's epoch on the CPU, and on the accelerator before and after `devlint check --fix`.

    python benchmarks/speedup.py [--device cuda] [--json FILE]
    python benchmarks/speedup.py --device sim --quick      # the same steps on the simulated accelerator

The program is `examples/train_images.py`, scaled: images of 224 x 224 in three channels and a network of the
shape of ResNet-50 (16 bottleneck blocks, about 25 million parameters). "Before" is the program as it was
written, on a machine that has an accelerator; "after" is a copy that `devlint check --fix` has changed. "CPU"
is the fixed copy with the accelerator hidden. Each is a process of its own, and an epoch's time is the
median of those after the first, which warms up. On the simulated accelerator the times mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PUBLISHED = 30.8
"""CPU epoch over GPU epoch in the article that devlint started from."""

PROGRAM = '''\
"""Tell classes of drawn images apart with a network of the shape of ResNet-50."""

import sys
import time

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

count, batch, size, width, epochs, *blocks = map(int, sys.argv[1:])


class Bottleneck(nn.Module):
    def __init__(self, inside, planes, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, planes, 1, bias=False),
            nn.BatchNorm2d(planes),
            nn.ReLU(),
            nn.Conv2d(planes, planes, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(planes),
            nn.ReLU(),
            nn.Conv2d(planes, 4 * planes, 1, bias=False),
            nn.BatchNorm2d(4 * planes),
        )
        self.way = nn.Sequential(
            nn.Conv2d(inside, 4 * planes, 1, stride=stride, bias=False),
            nn.BatchNorm2d(4 * planes),
        )

    def forward(self, x):
        return torch.relu(self.body(x) + self.way(x))


class ShapeNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers = [nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        layers.append(nn.MaxPool2d(3, stride=2, padding=1))
        inside = width
        for stage, number in enumerate(blocks):
            for block in range(number):
                layers.append(Bottleneck(inside, width * 2**stage, 2 if stage and not block else 1))
                inside = 4 * width * 2**stage
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))
        self.classifier = nn.Linear(inside, classes)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x.flatten(1))


torch.manual_seed(0)
train_loader = DataLoader(
    TensorDataset(torch.randn(count, 3, size, size), torch.randint(1000, (count,))), batch_size=batch
)
model = ShapeNet(1000)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
print("parameters", sum(p.numel() for p in model.parameters()))

for epoch in range(epochs):
    start = time.perf_counter()
    running_loss = 0.0
    for images, labels in train_loader:
        optimizer.zero_grad()
        outputs = model(images)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    print("epoch", time.perf_counter() - start, running_loss / len(train_loader))
'''

FULL = (128, 32, 224, 64, 3, 3, 4, 6, 3)
"""Images, batch, size, width, epochs, blocks in each stage."""
QUICK = (8, 4, 32, 4, 2, 1, 1)


@dataclass(frozen=True, slots=True)
class Run:
    """One process: seconds of an epoch, the share of the work on the accelerator (None on the CPU)."""

    epoch: float
    parameters: int
    loss: float
    share: float | None = None


def accelerator() -> str | None:
    """The accelerator torch sees."""
    import torch

    found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    return found.type if found else None


def fixed_copy(folder: Path) -> Path:
    """The program as `devlint check --fix` leaves it."""
    program = folder / "fixed.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "devlint", "check", "--isolated", "--fix", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or program.read_text(encoding="utf-8") == PROGRAM:
        raise RuntimeError(f"devlint did not fix the program:\n{done.stdout}{done.stderr}")
    return program


def plain(program: Path, shape: tuple[int, ...], hidden: bool) -> Run:
    """Run a program with plain Python; hidden: as on a machine without an accelerator."""
    environment = {**os.environ, **({"CUDA_VISIBLE_DEVICES": ""} if hidden else {})}
    command = [sys.executable, str(program), *map(str, shape)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return _read(done.stdout, None)


def verified(program: Path, shape: tuple[int, ...], device: str) -> Run:
    """Run a program under `devlint verify`, for its share; with `sim` this is the only way to run it."""
    report = program.with_suffix(".json")
    options = ["--device", device, "--min-share", "0", "--report", "json", "-o", str(report)]
    command = [sys.executable, "-m", "devlint", "verify", *options, str(program), *map(str, shape)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return _read(done.stdout, float(json.loads(report.read_text(encoding="utf-8"))["share"]))


def _read(output: str, share: float | None) -> Run:
    words = [line.split() for line in output.splitlines()]
    parameters = next(int(rest[0]) for name, *rest in words if name == "parameters")
    epochs = [(float(rest[0]), float(rest[1])) for name, *rest in words if name == "epoch"]
    return Run(statistics.median(seconds for seconds, _ in epochs[1:]), parameters, epochs[-1][1], share)


def measured(device: str, shape: tuple[int, ...]) -> dict[str, Run]:
    """The three runs: on the CPU, on the accelerator's machine before the fix, and after it."""
    with tempfile.TemporaryDirectory(prefix="devlint-speedup-") as scratch:
        written, fixed = Path(scratch, "written.py"), fixed_copy(Path(scratch))
        written.write_text(PROGRAM, encoding="utf-8")
        cpu = plain(fixed, shape, hidden=True)
        if device == "sim":
            return {"cpu": cpu, "before": verified(written, shape, "sim"), "after": verified(fixed, shape, "sim")}
        few = (shape[1], *shape[1:4], 2, *shape[5:])
        before, after = plain(written, shape, hidden=False), plain(fixed, shape, hidden=False)
        return {
            "cpu": cpu,
            "before": Run(before.epoch, before.parameters, before.loss, verified(written, few, device).share),
            "after": Run(after.epoch, after.parameters, after.loss, verified(fixed, few, device).share),
        }


def as_table(runs: dict[str, Run], device: str) -> str:
    """The figures, and the ratio beside the published one."""
    names = {"cpu": "CPU", "before": f"{device}, before the fix", "after": f"{device}, after the fix"}
    lines = ["| run | epoch, s | work on the accelerator | times faster than the CPU |", "|---|--:|--:|--:|"]
    for key, run in runs.items():
        share = "" if run.share is None else f"{run.share:.0%}"
        lines.append(f"| {names[key]} | {run.epoch:.3f} | {share} | {runs['cpu'].epoch / run.epoch:.1f} |")
    gain = runs["before"].epoch / runs["after"].epoch
    lines.append(
        "\nOn a simulated accelerator the times mean nothing; only the shares do."
        if device == "sim"
        else f"\nThe fix makes an epoch {gain:.1f} times faster. The article's CPU to GPU ratio is {PUBLISHED}."
    )
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table; exit status 2 where there is no accelerator."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", choices=("auto", "cuda", "xpu", "sim"), default="auto")
    parser.add_argument("--quick", action="store_true", help="a tiny network: to see that it runs")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    options = parser.parse_args()
    found = accelerator()
    device = (found or "none") if options.device == "auto" else options.device
    if device != "sim" and device != found:
        print("speedup.py: no accelerator here; --device sim --quick runs the same steps", file=sys.stderr)
        sys.exit(2)
    runs = measured(device, QUICK if options.quick else FULL)
    print(as_table(runs, device))
    if options.json is not None:
        figures = {key: {name: getattr(run, name) for name in Run.__slots__} for key, run in runs.items()}
        options.json.write_text(json.dumps({"device": device, "runs": figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What the simulated accelerator costs: four training loops with it and without, in one process, interleaved.

    python benchmarks/simulator_cost.py [--rounds 7] [--only NAME]

Each round runs every loop once plainly on the CPU and once with a simulated device, in turn. The figures are
medians of the rounds, and the ratio is the median of the ratios within a round, so that a machine that is
busy for a while slows down both sides of a ratio. One thread.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from devlint.verify import simulated_accelerator

Step = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Loop:
    """One training loop. make: builds it on a device and gives its step; aim: the ratio it should not pass."""

    name: str
    make: Callable[[str], Step]
    steps: int
    aim: float | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a step, and how many times longer the simulated one takes."""

    loop: Loop
    plain: float
    simulated: float
    ratio: float
    spread: tuple[float, float]


class Residual(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, images: Tensor) -> Tensor:
        return torch.relu(images + self.body(images))


def residual_network(device: str) -> Step:
    """Images of 32 x 32 in batches of 16, twelve convolutions, SGD with momentum."""
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        *(Residual(32) for _ in range(3)),
        nn.Conv2d(32, 64, 3, stride=2, padding=1),
        *(Residual(64) for _ in range(2)),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    ).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(16, 3, 32, 32), torch.randint(10, (16,))
    return trained(model, optimizer, lambda: (images.to(device), labels.to(device)))


def transformer(device: str) -> Step:
    """Sequences of 64 tokens in batches of 8, two encoder layers of width 128, AdamW."""
    layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    model = nn.Sequential(
        nn.Embedding(1000, 128),
        nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
        nn.Linear(128, 1000),
        nn.Flatten(0, 1),
    ).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    tokens = torch.randint(1000, (8, 65))
    return trained(model, optimizer, lambda: (tokens[:, :-1].to(device), tokens[:, 1:].to(device).flatten()))


def small_network(device: str) -> Step:
    """A perceptron of 16, 32 and 32 units on batches of 32, Adam: hardly any arithmetic in each operator."""
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    features, labels = torch.randn(32, 16), torch.randint(2, (32,))
    return trained(model, optimizer, lambda: (features.to(device), labels.to(device)))


def trained(model: nn.Module, optimizer: torch.optim.Optimizer, batch: Callable[[], tuple[Tensor, Tensor]]) -> Step:
    """One step of training, the value of the loss read."""
    criterion = nn.CrossEntropyLoss()

    def step() -> float:
        inputs, targets = batch()
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


def additions(elements: int) -> Callable[[str], Step]:
    """A hundred additions of vectors."""

    def make(device: str) -> Step:
        vector, one = torch.zeros(elements, device=device), torch.ones(elements, device=device)

        def step() -> Tensor:
            total = vector
            for _ in range(100):
                total = total + one
            return total

        return step

    return make


LOOPS = (
    Loop("ResNet-like", residual_network, 2, 1.5),
    Loop("Transformer", transformer, 2, 1.5),
    Loop("MLP of 16 to 32 units, Adam", small_network, 40),
    Loop("100 additions of 10 elements", additions(10), 40, 3.0),
    Loop("100 additions of 10,000 elements", additions(10_000), 20),
)


def measured(loops: Sequence[Loop], rounds: int) -> list[Cost]:
    """Run every loop plainly and simulated in turn, `rounds` times."""
    times: dict[str, list[tuple[float, float]]] = {loop.name: [] for loop in loops}
    for _ in range(rounds):
        for loop in loops:
            plain = milliseconds(loop, "cpu")
            with simulated_accelerator():
                simulated = milliseconds(loop, "cuda")
            times[loop.name].append((plain, simulated))
    costs = []
    for loop in loops:
        pairs = times[loop.name]
        ratios = [simulated / plain for plain, simulated in pairs]
        costs.append(
            Cost(
                loop,
                statistics.median(plain for plain, _ in pairs),
                statistics.median(simulated for _, simulated in pairs),
                statistics.median(ratios),
                (min(ratios), max(ratios)),
            )
        )
    return costs


def milliseconds(loop: Loop, device: str) -> float:
    """The median of the steps, after one that does not count."""
    torch.manual_seed(0)
    step = loop.make(device)
    step()
    gc.collect()
    gc.disable()
    try:
        taken = []
        for _ in range(loop.steps):
            start = time.perf_counter()
            step()
            taken.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return 1000 * statistics.median(taken)


def as_table(costs: Sequence[Cost]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| loop | CPU, ms a step | simulated, ms a step | ratio | least and most | aim |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for cost in costs:
        aim = f"{cost.loop.aim:.1f}" if cost.loop.aim else ""
        least, most = cost.spread
        lines.append(
            f"| {cost.loop.name} | {cost.plain:.2f} | {cost.simulated:.2f} | {cost.ratio:.2f} "
            f"| {least:.2f} to {most:.2f} | {aim} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table; exit status 1 where an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="loops whose name holds this text")
    options = parser.parse_args()
    torch.set_num_threads(1)
    costs = measured([loop for loop in LOOPS if options.only in loop.name], options.rounds)
    print(as_table(costs))
    print(f"\ntorch {torch.__version__}, Python {sys.version.partition(' ')[0]}, one thread, {options.rounds} rounds")
    sys.exit(any(cost.loop.aim and cost.ratio > cost.loop.aim for cost in costs))


if __name__ == "__main__":
    main()

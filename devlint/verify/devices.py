"""Which accelerator a run uses: a real one of this machine, a simulated one, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from devlint.errors import DevlintError
from devlint.verify.ledger import Ledger
from devlint.verify.real_accelerator import measured
from devlint.verify.simulated_accelerator import simulated_accelerator

CHOICES = ("auto", "sim", "cuda", "mps", "xpu", "cpu")
"""`auto`: the real accelerator if there is one, else `sim`. `cpu`: as on a machine without any."""


def chosen(device: str) -> str:
    """The device that `auto` stands for; raises DevlintError where the device asked for is not here."""
    real = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if device == "auto":
        return real.type if real is not None else "sim"
    if device in ("sim", "cpu") or (real is not None and real.type == device):
        return device
    seen = f"torch sees {real.type}" if real is not None else "torch sees no accelerator"
    raise DevlintError(f"no {device} device here ({seen}); `devlint doctor` says why, `--device sim` simulates one")


@contextmanager
def running_on(device: str, *, sim_devices: int = 1, own_random_stream: bool = True) -> Iterator[Ledger]:
    """Run the block on the device that `chosen` gave."""
    context: Any = (
        simulated_accelerator(sim_devices, own_random_stream=own_random_stream)
        if device == "sim"
        else measured(hidden=device == "cpu")
    )
    with context as ledger:
        yield ledger

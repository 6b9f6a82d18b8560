"""Running a program on an accelerator, a real one or a simulated one, and saying where its work was done.

Everything is loaded on first use: importing this package does not import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devlint.verify.accelerator import simulated_accelerator as simulated_accelerator
    from devlint.verify.ledger import Ledger as Ledger
    from devlint.verify.runner import verify as verify
    from devlint.verify.simulation_error import SimulationError as SimulationError

_HOMES = {
    "simulated_accelerator": "devlint.verify.accelerator",
    "Ledger": "devlint.verify.ledger",
    "SimulationError": "devlint.verify.simulation_error",
    "verify": "devlint.verify.runner",
}

__all__ = ["Ledger", "SimulationError", "simulated_accelerator", "verify"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

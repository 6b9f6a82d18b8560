"""What one simulated accelerator consists of; the modes and patches share it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import torch

from devlint.verify.ledger import Ledger
from devlint.verify.machine import CPU, Machine
from devlint.verify.random_streams import RandomStreams
from devlint.verify.tally import Tally


class Nesting(threading.local):
    """Per thread: the calls that torch is inside of, outermost first, and the device a factory was
    asked for.
    """

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.latest: torch.device = CPU
        """Where this thread's last operation was."""
        self.inside_kernel = False
        """In a kernel written in Python: below the modes, where tensors are what they really are."""


@dataclass
class Simulation:
    """The state of one `simulated_accelerator`."""

    machine: Machine
    ledger: Ledger
    streams: RandomStreams
    tally: Tally = field(default_factory=Tally)
    nesting: Nesting = field(default_factory=Nesting)
    default_tensor_device: torch.device = CPU
    """Where `torch.set_default_tensor_type` puts new tensors."""

    def side(self) -> torch.device | None:
        """The side of a tensor made inside the current call: that of its operands; None outside any call."""
        if not self.nesting.calls:
            return None
        call = self.nesting.calls[-1]
        if isinstance(call, torch.device):
            return call
        args, kwargs = call
        host = None
        for tensor in tensors_in(args, kwargs):
            if (device := self.ledger.device(tensor)) is not CPU:
                return device
            host = CPU
        return host


ACTIVE: list[Simulation] = []
"""The simulations that are on, outermost first. Only the innermost acts: it is a machine of its own."""


_TENSORS = frozenset((torch.Tensor, torch.nn.Parameter))
_NUMBERS = frozenset((int, float, bool, type(None), str, torch.dtype))


def tensors_in(args: Any, kwargs: dict[str, Any] | None = None) -> list[Any]:
    """The tensors among the arguments, lists and tuples opened."""
    found: list[Any] = []
    for value in args:
        kind = type(value)
        if kind in _TENSORS or isinstance(value, torch.Tensor):
            found.append(value)
        elif kind in _NUMBERS:
            continue
        elif isinstance(value, (list, tuple)) and value and not isinstance(value[0], (int, float)):
            found.extend(tensors_in(value))
    if kwargs:
        found.extend(tensors_in(kwargs.values()))
    return found

"""Measuring a run on real hardware: the same record as the simulation's, without changing anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.verify.ledger import Ledger, size_in_bytes
from devlint.verify.machine import tensors_in
from devlint.verify.module_use import watch_modules
from devlint.verify.operators import operator
from devlint.verify.patches import Patches
from devlint.verify.places import user_place


class Measure(TorchDispatchMode):
    """Counts operations, floating-point operations and transfers by the device of their results."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self.ledger = ledger

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        facts = operator(func)
        tensors = list(tensors_in(out))
        if not facts.counted or not tensors:
            return out
        place = user_place()
        with torch._C.DisableTorchFunction():
            device = tensors[0].device
            if facts.copies:
                self._transfer(place, args, device)
        flops = 0 if facts.flops is None else facts.count_flops(list(tensors_in(args)), args, kwargs, out)
        self.ledger.record.operation(place, facts.name, flops, device.type not in ("cpu", "meta"))
        return out

    def _transfer(self, place: Any, args: Any, target: torch.device) -> None:
        source = next(iter(tensors_in(*args[::-1])), None)
        if source is not None and source.device != target:
            self.ledger.record.transfer(place, source.device, target, size_in_bytes(source))


@contextmanager
def measured(*, hidden: bool = False) -> Iterator[Ledger]:
    """Measure the block; `hidden` makes torch see no accelerator, as on a machine without one."""
    ledger = Ledger()
    patches = Patches()
    with ExitStack() as stack:
        stack.callback(patches.restore)
        watch_modules(ledger.record, lambda p: p.device.type, patches)
        if hidden and torch.accelerator.is_available():
            _hide(patches)
        stack.enter_context(Measure(ledger))
        yield ledger
        _read_peaks(ledger)


def _hide(patches: Patches) -> None:
    for module in (torch.cuda, torch.xpu, torch.mps, torch.accelerator):
        patches.set(module, "is_available", lambda: False)
        patches.set(module, "device_count", lambda: 0)
    patches.set(torch.accelerator, "current_accelerator", lambda check_available=False: None)


def _read_peaks(ledger: Ledger) -> None:
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            ledger.peak[torch.device("cuda", index)] = torch.cuda.max_memory_allocated(index)

"""The upper of the two modes: sees every torch function that Python calls, and answers where the device matters."""

from __future__ import annotations

from typing import Any

from torch.overrides import TorchFunctionMode

from devlint.verify import attributes, autocast, conversions, creation, families, moves
from devlint.verify.interception import HANDLERS
from devlint.verify.machine import Machine

INTERCEPTING = (attributes, autocast, conversions, creation, families, moves)
"""The modules that fill the table."""

class Functions(TorchFunctionMode):
    """Rewrites `device=` arguments, moves tensors, and answers questions about their device."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        handler = HANDLERS.get(func)
        if handler is not None:
            return handler(self.machine, func, args, kwargs or {})
        if kwargs is None:
            kwargs = {}
        elif kwargs.get("device") is not None:
            return creation.create(self.machine, func, args, kwargs)
        frames = self.machine.thread.frames
        frames.append((args, kwargs))
        try:
            return func(*args, **kwargs)
        finally:
            frames.pop()

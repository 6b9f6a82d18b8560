"""The upper of the two modes: sees every torch function that Python calls, and answers where the device matters."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from devlint.verify import attributes, autocast, conversions, creation, families, moves
from devlint.verify.interception import HANDLERS
from devlint.verify.machine import Machine

INTERCEPTING = (attributes, conversions, creation, families, moves)
"""The modules that fill the table."""

_any_autocast = torch._C._is_any_autocast_enabled if hasattr(torch._C, "_is_any_autocast_enabled") else torch.is_autocast_enabled


class Functions(TorchFunctionMode):
    """Rewrites `device=` arguments, moves tensors, and answers questions about their device."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        handler = HANDLERS.get(func)
        if handler is not None:
            return handler(self.machine, func, args, kwargs or {})
        kwargs = kwargs or {}
        if "device" in kwargs and kwargs["device"] is not None:
            return creation.create(self.machine, func, args, kwargs)
        if func in autocast.POLICY and torch.is_autocast_enabled("cuda"):
            args, kwargs = autocast.cast(self.machine, func, args, kwargs)
        frames = self.machine.thread.frames
        frames.append((args, kwargs))
        try:
            return func(*args, **kwargs)
        finally:
            frames.pop()

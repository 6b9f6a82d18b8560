"""Which modules the program called, and where their parameters were."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.patches import Patches
from devlint.verify.places import user_place
from devlint.verify.record import ModuleUse, Record

_NAMES_SHOWN = 8


def watch_modules(record: Record, type_of: Callable[[torch.Tensor], str], patches: Patches) -> None:
    """Note, at the first call of each outermost module, which of its parameters are on the host."""
    seen: weakref.WeakSet[torch.nn.Module] = weakref.WeakSet()
    depth = threading.local()
    real = torch.nn.Module.__call__

    def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        if getattr(depth, "inside", False):
            return real(module, *args, **kwargs)
        depth.inside = True
        try:
            if module not in seen:
                seen.add(module)
                _note(record, module, type_of)
            return real(module, *args, **kwargs)
        finally:
            depth.inside = False

    patches.set(torch.nn.Module, "__call__", call)


def _note(record: Record, module: torch.nn.Module, type_of: Callable[[torch.Tensor], str]) -> None:
    try:
        parameters = list(module.named_parameters())
    except Exception:  # a module whose attributes are not ready; its own error will tell
        return
    on_host = [name for name, parameter in parameters if type_of(parameter) == "cpu"]
    if parameters:
        name = type(module).__name__
        record.modules.append(ModuleUse(name, user_place(), len(parameters), tuple(on_host[:_NAMES_SHOWN])))

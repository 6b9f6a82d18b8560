"""Models that never computed on the device: modules with parameters that were only called with them on
the host.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch.nn.modules.module import register_module_forward_pre_hook

from devlint.verify.places import Place, user_place


@dataclass(slots=True)
class Called:
    """One module: its class, its first call, and whether its parameters were ever on a device at a call."""

    name: str
    place: Place
    parameters: int
    on_device: bool = False
    calls: int = 0


class ModelWatch:
    """Notes each call of a module that owns parameters."""

    def __init__(self) -> None:
        self.modules: dict[int, Called] = {}
        self._alive: dict[int, Any] = {}

    def note(self, module: Any, _: Any) -> None:
        """Called before each forward."""
        own = module._parameters
        if not own:
            return
        key = id(module)
        entry = self.modules.get(key) if key in self._alive and self._alive[key]() is module else None
        if entry is None:
            size = sum(int(p.numel()) for p in own.values() if p is not None and hasattr(p, "numel") and not _lazy(p))
            entry = self.modules[key] = Called(str(module).partition("\n")[0], user_place(2), size)
            self._alive[key] = weakref.ref(module)
        entry.calls += 1
        if not entry.on_device:
            entry.on_device = any(p is not None and p.device.type not in ("cpu", "meta") for p in own.values())

    @property
    def never_on_device(self) -> list[Called]:
        """The modules whose parameters stayed on the host."""
        return [entry for entry in self.modules.values() if not entry.on_device]


def _lazy(parameter: Any) -> bool:
    from torch.nn.parameter import is_lazy

    return bool(is_lazy(parameter))


@contextmanager
def watching_models() -> Iterator[ModelWatch]:
    """Watch all modules of the process."""
    watch = ModelWatch()
    handle = register_module_forward_pre_hook(watch.note)
    try:
        yield watch
    finally:
        handle.remove()

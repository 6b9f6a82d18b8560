"""Attributes replaced while the simulation runs, and put back exactly as they were."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

_ABSENT = object()


class Patches:
    """A list of replaced attributes; `restore` undoes them in reverse order."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []
        self._items: list[tuple[dict[Any, Any], Any, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace `owner.name`. What stood in the owner's own dictionary is put back, not what it inherits."""
        self._saved.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def set_everywhere(self, owner: Any, name: str, value: Any) -> None:
        """Replace `owner.name`, and the same object in every module that imported it by that name."""
        real = getattr(owner, name, _ABSENT)
        self.set(owner, name, value)
        if not callable(real):
            return
        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType) and vars(module).get(name) is real:
                self.set(module, name, value)

    def set_item(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        """Replace `mapping[key]`."""
        self._items.append((mapping, key, mapping.get(key, _ABSENT)))
        mapping[key] = value

    def restore(self) -> None:
        while self._items:
            mapping, key, value = self._items.pop()
            if value is _ABSENT:
                del mapping[key]
            else:
                mapping[key] = value
        while self._saved:
            owner, name, value = self._saved.pop()
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)

    @property
    def places(self) -> list[tuple[Any, str]]:
        """What is replaced now."""
        return [(owner, name) for owner, name, _ in self._saved]

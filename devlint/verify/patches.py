"""Attributes replaced for the time of a simulation, and put back afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ABSENT = object()


class Patches:
    """A pile of replaced attributes; `undo` restores them in reverse."""

    def __init__(self) -> None:
        self._undone: list[Callable[[], None]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace one attribute of a module or class."""
        own = vars(owner).get(name, _ABSENT)
        setattr(owner, name, value)
        if own is _ABSENT:
            self._undone.append(lambda: delattr(owner, name))
        else:
            self._undone.append(lambda: setattr(owner, name, own))

    def set_all(self, owner: Any, values: dict[str, Any]) -> None:
        """Replace several attributes; those the owner does not have are left alone."""
        for name, value in values.items():
            if hasattr(owner, name):
                self.set(owner, name, value)

    def later(self, undo: Callable[[], None]) -> None:
        """Something else to put back."""
        self._undone.append(undo)

    def undo(self) -> None:
        """Put everything back."""
        while self._undone:
            self._undone.pop()()

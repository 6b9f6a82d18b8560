"""Attributes replaced while the simulation runs, and put back exactly as they were."""

from __future__ import annotations

from typing import Any

_ABSENT = object()


class Patches:
    """A list of replaced attributes; `restore` undoes them in reverse order."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace `owner.name`. What stood in the owner's own dictionary is put back, not what it inherits."""
        self._saved.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def restore(self) -> None:
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

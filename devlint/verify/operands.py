"""The operands of a refused operation, as a person wants to read them: what, where, made and moved on
which line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from devlint.verify.ledger import Ledger
from devlint.verify.places import NOWHERE, Place


@dataclass(frozen=True, slots=True)
class Operand:
    """One tensor of the operation."""

    shape: tuple[int, ...]
    dtype: str
    device: str
    created: Place
    moved: Place

    def __str__(self) -> str:
        text = f"{self.dtype.removeprefix('torch.')}{list(self.shape)} on {self.device}"
        if self.created != NOWHERE:
            text += f", created at {self.created}"
        if self.moved != NOWHERE:
            text += f", last moved at {self.moved}"
        return text


@dataclass(frozen=True, slots=True)
class MixedDevices:
    """An operation whose operands may not meet, attached to the RuntimeError as `mixed_devices`."""

    operation: str
    operands: tuple[Operand, ...]
    place: Place

    @classmethod
    def of(cls, ledger: Ledger, func: Any, operands: Sequence[Any], place: Place) -> MixedDevices:
        """Describe the operands from the ledger."""
        found = []
        for tensor in operands:
            row = ledger.row(tensor)
            created, moved = (row.created, row.moved) if row else (NOWHERE, NOWHERE)
            found.append(Operand(tuple(tensor.shape), str(tensor.dtype), str(ledger.device(tensor)), created, moved))
        name = getattr(func, "_schema", None)
        return cls(name.name if name else getattr(func, "__name__", str(func)), tuple(found), place)

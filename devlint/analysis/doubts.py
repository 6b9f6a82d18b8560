"""What may go wrong on an accelerator after a fix and is not known to: no rule reports it, no fix is safe beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import Doubt
from devlint.analysis.placement import Where
from devlint.analysis.syntax import descendants, dotted
from devlint.analysis.values import Batch, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter


class Doubts:
    """The doubts of one run."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, Doubt] = {}

    def add(self, node: cst.CSTNode, about: str) -> None:
        """What may go wrong on an accelerator and is not known to."""
        self.found[node] = Doubt(self.run.meetings.site(node), about)

    def meeting(self, operands: Iterable[tuple[cst.BaseExpression, Value]]) -> None:
        """What was lost track of, beside a tensor on a device; what may be on a device, beside one on the host."""
        operands = list(operands)
        if self.run.meetings.moved_at and any(self.run.meetings.stays(value, False) for _, value in operands):
            for operand, value in operands:
                if isinstance(value, Unknown) and not value.symbol and not self._is_number(operand):
                    self.add(operand, f"`{dotted(operand) or type(operand).__name__}` may be on the device")
        if any(isinstance(value, Tensor | Batch) and value.place.on_device for _, value in operands):
            for operand, value in operands:
                if isinstance(value, Unknown) and value.lost:
                    self.add(operand, f"`{dotted(operand) or type(operand).__name__}` may be on the host")

    def _is_number(self, operand: cst.BaseExpression) -> bool:
        """Whether all that is unknown in an expression is used as a size elsewhere: `math.log(10000.0) / width`."""
        names = {node.value for node in descendants(operand) if isinstance(node, cst.Name)}
        unknown = [name for name in names if isinstance(self.run.find(name), Unknown)]
        return bool(unknown) and all(self.run.meetings.uses.as_number(name) for name in unknown)

    def lost(self, node: cst.CSTNode, arguments: Arguments) -> None:
        """Something that was lost track of is called with a tensor on a device."""
        if any(isinstance(a.value, Tensor | Batch) and a.value.place.on_device for a in arguments):
            text = dotted(node.func) if isinstance(node, cst.Call) else ""
            self.add(node, f"`{text}` may be on the host")

    def unplaced(self, operands: Iterable[tuple[cst.BaseExpression, Value]]) -> None:
        """Tensors that are on the host on one way here and on a device on another, or nobody knows where."""
        for operand, value in operands:
            unplaced = isinstance(value, Tensor | Batch) and value.place.where is Where.UNKNOWN
            pinned = isinstance(value, Tensor) and value.place.where is Where.HOME and value.zero_dim is False
            if pinned:
                self.add(operand, f"`{dotted(operand) or type(operand).__name__}` stays on the host")
            if (unplaced and not (isinstance(value, Tensor) and value.zero_dim)) or _left_on_host(value):
                self.add(operand, f"`{dotted(operand) or type(operand).__name__}` may be on the host")


def _left_on_host(value: Value) -> bool:
    """A tensor on the host that no rule reports and that may not meet a device.

    Nobody knows whether it has dimensions; or it was made where another one is: `torch.arange(3, device=x.device)`.
    """
    if not isinstance(value, Tensor) or not value.place.on_host or value.zero_dim:
        return False
    return value.zero_dim is None or (value.origin is None and not value.parameter)

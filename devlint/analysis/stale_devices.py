"""Devices that a module wrote down when it was made, and still uses after it was moved elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import heap as objects_of
from devlint.analysis.devices import as_device
from devlint.analysis.facts import Site, StaleDevice
from devlint.analysis.parsed import Spot
from devlint.analysis.placement import Certainty, Placement, Where
from devlint.analysis.syntax import descendants
from devlint.analysis.values import Module, Value

if TYPE_CHECKING:
    from devlint.analysis.frame import ClassInfo
    from devlint.analysis.interpreter import Interpreter

_NAMES = frozenset(["device", "_device", "dev", "_dev", "torch_device"])
_MOVING = frozenset(["to", "cuda", "cpu", "_apply"])
"""Methods whose override may keep the attribute up to date."""


@dataclass(slots=True)
class _Stale:
    owner: ClassInfo
    name: str
    stored: Spot
    kept: Placement
    now: Placement
    moved: Spot | None
    parameters: bool
    uses: dict[cst.CSTNode, Site] = field(default_factory=dict)


class StaleDevices:
    """The device attributes of modules that say something else than where the module is."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self._found: dict[tuple[cst.CSTNode, str], _Stale] = {}

    def used(self, value: Value, node: cst.BaseExpression) -> bool:
        """Something is placed on a device, `x.to(node)` or `device=node`: whether that is stale, and now noted."""
        run = self.run
        match node:
            case cst.Attribute(value=cst.Name(value=own), attr=cst.Name(value=name)) if name in _NAMES:
                pass
            case _:
                return False
        frame = run.frame
        receiver, function, kept = frame.receiver, frame.function, as_device(value)
        if kept is None or function is None or not isinstance(receiver, Module) or run.offline or run.owned:
            return False
        if (
            not function.parameters
            or function.parameters[0].name.value != own
            or run.heap.attribute(receiver.ref, name) is not value
        ):
            return False
        if function.name in _MOVING or any(one.function and one.function.name == "__init__" for one in frame.chain()):
            return False
        cls, now = run.objects[receiver.ref].cls, run.heap.place(receiver.ref)
        if kept.device is None and _is_returned(frame.statement, node):
            return False
        if cls is None or not _differ(kept, now) or any(_MOVING & one.methods.keys() for one in cls.lineage()):
            return False
        stored = _stored(cls, name)
        if stored is None:
            return False
        key = (stored.node, name)
        if key not in self._found:
            moved = run.meetings.moved_at.get(receiver.ref) if now.on_device else None
            has_parameters = not objects_of.is_stateless(run.objects, run.heap, receiver.ref)
            self._found[key] = _Stale(cls, name, stored, kept, now, moved, has_parameters)
        self._found[key].uses.setdefault(node, run.meetings.site(node))
        return True

    def facts(self) -> Iterator[StaleDevice]:
        for stale in self._found.values():
            uses = tuple(stale.uses.values())
            yield StaleDevice(
                uses[0],
                stale.owner,
                stale.name,
                stale.stored,
                uses,
                stale.kept,
                stale.now,
                stale.moved,
                stale.parameters,
            )


def _differ(kept: Placement, now: Placement) -> bool:
    """Whether the module is known to be somewhere else than its attribute says."""
    if kept.device is not None and now.device is not None:
        a, b = kept.device, now.device
        literals = a.certainty is Certainty.LITERAL and b.certainty is Certainty.LITERAL
        return literals and a.index is not None and b.index is not None and a.index != b.index
    if kept.device is not None:
        return now.where is Where.HOME
    return now.on_device and kept.where in (Where.HOME, Where.HOST)


def _is_returned(statement: cst.CSTNode | None, node: cst.BaseExpression) -> bool:
    """`return out.to(self.device)`: a result may be brought to the CPU on purpose."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Return(value=cst.Call(func=cst.Attribute(), args=args))]):
            return any(arg.value is node for arg in args)
        case _:
            return False


def _stored(cls: ClassInfo, name: str) -> Spot | None:
    """The statement of an `__init__` that binds `self.name`, if nothing else in the classes does."""
    found: list[Spot] = []
    for one in cls.lineage():
        if name in one.attributes or name in one.methods:
            return None
        for method, info in one.methods.items():
            for node in descendants(info.node):
                if isinstance(node, cst.AssignTarget | cst.AnnAssign) and _is(node.target, name):
                    if method != "__init__":
                        return None
                    found.append(Spot(one.file, node))
    return found[0] if len(found) == 1 else None


def _is(target: cst.BaseExpression, name: str) -> bool:
    return isinstance(target, cst.Attribute) and target.attr.value == name and isinstance(target.value, cst.Name)

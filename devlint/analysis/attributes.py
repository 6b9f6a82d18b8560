"""Tensors that a module keeps as plain attributes: they stay where they were made when the module moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import Meets, TensorAttribute
from devlint.analysis.heap import holds_parameters
from devlint.analysis.parsed import Spot
from devlint.analysis.placement import Where
from devlint.analysis.syntax import NOT_LITERAL, descendants, dotted, literal
from devlint.analysis.values import Items, Kept, Module, Origin, Table, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.frame import ClassInfo, Frame
    from devlint.analysis.interpreter import Interpreter
    from devlint.analysis.meetings import HostMeeting

_REGISTERING = frozenset(["register_buffer", "register_parameter"])
_MOVING = frozenset(["to", "cuda", "_apply", "__getattr__", "__setattr__"])
"""Methods whose override may take plain tensors along."""


def kept_by(run: Interpreter, ref: int, name: str, value: Value) -> Value:
    """The value as an attribute of a module that is being made: tensors remember that nothing will move them."""
    frame = run.frame
    made_by = _init_of(frame, ref)
    if made_by is None or frame.function is None or frame.statement is None:
        return value
    spot = Spot(frame.file, frame.statement)
    match value:
        case Tensor(origin=Origin() as origin, parameter=False) if value.place.on_host:
            inside = origin.frame is not None and any(around is made_by for around in origin.frame.chain())
            kept = Kept(spot, name, frame.function, ref, inside, True)
            if not inside:
                return replace(value, origin=replace(origin, kept=kept, part=origin.part or f"self.{name}"))
            return replace(value, origin=replace(origin, kept=kept, bound=spot))
        case Items(items=tuple(items)):
            held = tuple(_within(run, ref, name, item) for item in items)
            return Items(_within(run, ref, name, value.element), held)
        case Items(element=Tensor() as element):
            return Items(_within(run, ref, name, element))
        case Table(entries=dict(entries)):
            inner = {key: _within(run, ref, name, item) for key, item in entries.items()}
            return Table(_within(run, ref, name, value.element), inner)
        case _:
            return value


def _within(run: Interpreter, ref: int, name: str, value: Value) -> Value:
    value = kept_by(run, ref, name, value) if isinstance(value, Tensor) else value
    match value:
        case Tensor(origin=Origin(kept=Kept() as kept) as origin):
            return replace(value, origin=replace(origin, kept=replace(kept, whole=False)))
        case _:
            return value


def _init_of(frame: Frame, ref: int) -> Frame | None:
    """The running `__init__` of the module, where this is part of it."""
    for around in frame.chain():
        if not isinstance(around.receiver, Module) or around.receiver.ref != ref or around.function is None:
            return None
        if around.function.name == "__init__":
            return around
    return None


def meets_its_module(
    run: Interpreter, operands: Sequence[tuple[cst.BaseExpression, Value]]
) -> cst.BaseExpression | None:
    """The operand that is where the module is, in the method of a class of which no instance is seen.

    It was computed by a layer of the module, or it is the input of the running `forward`.
    """
    frame = run.frame
    if not frame.symbolic or not isinstance(frame.receiver, Module) or frame.function is None:
        return None
    for node, value in operands:
        match value:
            case Tensor() if value.place.where is Where.SYMBOL and ".self" in value.place.symbol:
                return node
            case Unknown(symbol=symbol) if symbol and frame.function.name == "forward" and symbol == _input_of(frame):
                return node
    return None


def _input_of(frame: Frame) -> str:
    """The symbol of the first parameter of a method, if it may be a tensor."""
    assert frame.function is not None
    params = frame.function.parameters[1:2]
    if not params or params[0].default is not None:
        return ""
    annotation = params[0].annotation
    if annotation is not None and dotted(annotation.annotation).rpartition(".")[2] != "Tensor":
        return ""
    return f"{frame.function.label}.{params[0].name.value}"


def attributes(run: Interpreter, meetings: Iterable[HostMeeting]) -> Iterator[TensorAttribute]:
    """One fact for each attribute that meets what its module is given, or what the module computes."""
    by_statement: dict[cst.CSTNode, list[HostMeeting]] = {}
    for meeting in meetings:
        if (kept := meeting.origin.kept) is not None:
            by_statement.setdefault(kept.spot.node, []).append(meeting)
    for group in by_statement.values():
        kept = group[0].origin.kept
        assert kept is not None
        cls = run.objects[kept.ref].cls
        if cls is not None and any(_MOVING & one.methods.keys() or _registers(one, kept.name) for one in cls.lineage()):
            continue
        seen = not run.objects[kept.ref].symbolic
        if not seen and (run.meetings.home or not holds_parameters(run.objects, run.heap, kept.ref)):
            continue
        meets: dict[cst.CSTNode, Meets] = {}
        for meeting in group:
            meets.setdefault(meeting.meets.operand, meeting.meets)
        device = next((one.device for one in meets.values() if one.device is not None), None)
        yield TensorAttribute(group[0].origin, kept, tuple(meets.values()), device, group[0].frame, seen)


def _registers(cls: ClassInfo, name: str) -> bool:
    """Whether the class makes the name, or one that it computes, a buffer or a parameter somewhere."""
    for node in descendants(cls.node):
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=method)), args=[first, *_]) if method in _REGISTERING:
                key = literal(first.value)
                if key is NOT_LITERAL or key == name:
                    return True
    return False


def belongs_to_module(run: Interpreter, origin: Origin) -> bool:
    """Whether it is the module's business where a kept tensor is: it made the tensor, or it has been moved itself."""
    return origin.kept is not None and (origin.kept.inside or run.heap.place(origin.kept.ref).on_device)

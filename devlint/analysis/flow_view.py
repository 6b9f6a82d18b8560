"""What the engine believes about every name at one line: `devlint check --explain-flow FILE:LINE`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.placement import Certainty, Device, Placement, Where
from devlint.analysis.values import (
    Array,
    Batch,
    Class,
    Const,
    Dataset,
    DeviceValue,
    External,
    Flag,
    Function,
    Imported,
    Instance,
    Items,
    Lazy,
    Loader,
    Module,
    Optimizer,
    Origin,
    Scalar,
    Table,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from devlint.analysis.frame import Frame
    from devlint.analysis.interpreter import Interpreter
    from devlint.analysis.parsed import Spot

_SILENT = (Function, Class, External, Imported, Lazy)
"""What a scope holds besides data: shown only where the line itself names it."""
MOST_RUNS = 6
"""How many different states of one line are shown."""


@dataclass(frozen=True, slots=True)
class Belief:
    """One name at the line: what kind of thing it holds, where that lives, and why."""

    name: str
    kind: str
    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class State:
    """The names at the line, after one run of its statement. scope: the running body, and who called it."""

    scope: str
    beliefs: tuple[Belief, ...]


@dataclass
class FlowView:
    """Notes the state of a run whenever the statement at a line has been executed."""

    path: Path
    line: int
    states: list[State] = field(default_factory=list)

    def after(self, run: Interpreter, statement: cst.CSTNode) -> None:
        """Called when a statement is done."""
        file = run.frame.file
        if file.path != self.path or isinstance(statement, cst.FunctionDef | cst.ClassDef):
            return
        span = file.spans.get(statement)
        if span is None:
            return
        text = file.source.text
        first = text.count("\n", 0, span.start) + 1
        last = first if isinstance(statement, cst.BaseCompoundStatement) else text.count("\n", 0, span.end - 1) + 1
        if not first <= self.line <= last:
            return
        named = {node.value for node in _names(statement)}
        frame = run.frame
        beliefs = [
            _belief(run, name, value)
            for name, value in frame.env.items()
            if name in named or not isinstance(value, _SILENT)
        ]
        if isinstance(frame.receiver, Module | Instance) and frame.function is not None and frame.function.parameters:
            own = frame.function.parameters[0].name.value
            beliefs += [_belief(run, f"{own}.{name}", value) for name, value in _attributes(run, frame.receiver)]
        state = State(_scope(frame), tuple(sorted(beliefs, key=lambda belief: belief.name)))
        if state not in self.states and len(self.states) < MOST_RUNS:
            self.states.append(state)


def _names(statement: cst.CSTNode) -> list[cst.Name]:
    from devlint.analysis.syntax import descendants

    whole = statement.test if isinstance(statement, cst.If | cst.While) else statement
    return [node for node in descendants(whole) if isinstance(node, cst.Name)]


def _attributes(run: Interpreter, owner: Module | Instance) -> list[tuple[str, Value]]:
    info = run.objects[owner.ref]
    held = [(name, run.heap.attribute(owner.ref, name)) for name in info.names]
    return [(name, value) for name, value in held if value is not None]


def _scope(frame: Frame) -> str:
    name = frame.function.label if frame.function is not None else "the file itself"
    if frame.call is None:
        return f"{name}, that no call decides" if frame.symbolic else name
    return f"{name}, called at {_where(frame.call)}"


def _where(spot: Spot) -> str:
    return f"{spot.file.path.name}:{spot.file.source.text.count(chr(10), 0, spot.span.start) + 1}"


def _belief(run: Interpreter, name: str, value: Value) -> Belief:
    place = run.place_of(value.ref) if isinstance(value, Module) else _place(value)
    return Belief(name, _kind(run, value), _place_text(place), _reason(run, value))


def _place(value: Value) -> Placement | None:
    match value:
        case Tensor(place=place) | Batch(place=place) | Loader(place=place) | Dataset(place=place):
            return place
        case DeviceValue(place=place):
            return place
        case _:
            return None


def _place_text(place: Placement | None) -> str:
    match place:
        case None:
            return ""
        case Placement(where=Where.HOST):
            return "host"
        case Placement(where=Where.HOME):
            return "CPU, on purpose"
        case Placement(where=Where.SYMBOL, symbol=symbol):
            return f"wherever {symbol} is"
        case Placement(where=Where.DEVICE, device=Device(text=text, certainty=certainty)):
            word = {Certainty.GUARDED: "falls back to the CPU", Certainty.LITERAL: "always", Certainty.OPAQUE: "given"}
            return f"{text.strip(chr(34))} ({word[certainty]})"
        case _:
            return "unknown"


def _kind(run: Interpreter, value: Value) -> str:
    match value:
        case Tensor(zero_dim=zero_dim, parameter=parameter):
            size = {True: ", 0-dim", None: ", maybe 0-dim", False: ""}[zero_dim]
            return ("parameter" if parameter else "tensor") + size
        case Batch(part=part):
            return "part of a batch" if part else "batch"
        case Items(items=tuple(items), names=names):
            inner = ", ".join(
                f"{names[i]}: {_kind(run, item)}" if i < len(names) else _kind(run, item)
                for i, item in enumerate(items[:4])
            )
            return f"({inner}{', ...' if len(items) > 4 else ''})"
        case Items(element=element):
            return f"sequence of {_kind(run, element)}"
        case Table(entries=dict(entries)):
            return "dict of " + ", ".join(f"{key!r}: {_kind(run, item)}" for key, item in list(entries.items())[:4])
        case Table(element=element):
            return f"dict of {_kind(run, element)}"
        case Module(ref=ref):
            info = run.objects[ref]
            return f"module {info.cls.name if info.cls is not None else info.external}"
        case Instance(cls=cls):
            return f"object of {cls.name}"
        case Const(value=constant):
            return f"constant {constant!r}"
        case External(name=name):
            return name
        case Unknown(symbol=symbol):
            return f"unknown ({symbol})" if symbol else "unknown"
        case Flag(present=present):
            return "flag: an accelerator is there" if present else "flag: no accelerator is there"
        case Loader():
            return "loader"
        case Dataset():
            return "dataset"
        case DeviceValue():
            return "device"
        case Optimizer():
            return "optimizer"
        case Scalar():
            return "number"
        case Array():
            return "array"
        case _:
            return type(value).__name__.lower()


def _reason(run: Interpreter, value: Value) -> str:
    match value:
        case Tensor(moved_from=Origin() as origin) | Batch(moved_from=Origin() as origin):
            return f"{origin.source.value} of {_where(origin.spot)}, moved since"
        case Tensor(origin=Origin() as origin) | Batch(origin=Origin() as origin):
            return f"{origin.source.value} of {_where(origin.spot)}"
        case Module(ref=ref):
            made = f"made at {_where(run.objects[ref].spot)}"
            moved = run.meetings.moved_at.get(ref)
            return f"{made}, moved at {_where(moved)}" if moved is not None else made
        case _:
            return ""

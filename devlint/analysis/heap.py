"""The objects that programs change in place: modules and instances, their attributes and placements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.placement import HOST, Placement, join
from devlint.analysis.syntax import keyword, literal
from devlint.analysis.torch_table import STATELESS
from devlint.analysis.values import Items, Module, Modules, Table, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.frame import ClassInfo, Frame
    from devlint.analysis.parsed import Spot


@dataclass(eq=False, slots=True)
class Object:
    """What does not change about an object: what it is and where it was made."""

    ref: int
    spot: Spot
    cls: ClassInfo | None = None
    external: str = ""
    stateless: bool = False
    """No parameters: it runs wherever its input is."""
    scatters: bool = False
    """nn.DataParallel: it moves its own input."""
    lists_parts: bool = False
    """nn.Sequential and friends: positional arguments are registered children."""
    frame: Frame | None = None
    statement: object = None
    symbolic: bool = False
    """Stands for any instance: no code that makes one was seen."""
    names: set[str] = field(default_factory=set)
    parts: list[Value] = field(default_factory=list)
    devices: tuple[str, ...] = ()
    alternatives: list[Spot] = field(default_factory=list)
    """Where the modules are made that this one stands for after a branch."""


STATE = re.compile(
    r"\b(nn\.[A-Z]\w*|Parameter|register_buffer|register_parameter|add_module|setattr)\s*\(|self\.\w+ = [A-Z]\w+\("
)
_MADE_BY_A_CALL = re.compile(r"self\.\w+ = [\w.]*\w\(")
Key = int | tuple[int, str]
_ABSENT = object()


class Heap:
    """Placements by object, values by object and attribute, and a journal of what a branch changes.

    A branch costs what it writes: its side is run on the one store, undone from the journal, and joined afterwards.
    """

    __slots__ = ("_journals", "_store")

    def __init__(self) -> None:
        self._store: dict[Key, object] = {}
        self._journals: list[dict[Key, object]] = []

    def place(self, ref: int) -> Placement:
        place = self._store.get(ref)
        return place if isinstance(place, Placement) else HOST

    def attribute(self, ref: int, name: str) -> Value | None:
        value = self._store.get((ref, name))
        return value if isinstance(value, Value) else None

    def set_place(self, ref: int, place: Placement) -> None:
        self._write(ref, place)

    def set_attribute(self, ref: int, name: str, value: Value) -> None:
        self._write((ref, name), value)

    def _write(self, key: Key, value: object) -> None:
        if self._journals:
            self._journals[-1].setdefault(key, self._store.get(key, _ABSENT))
        self._store[key] = value

    def begin(self) -> None:
        """Start a side of a branch."""
        self._journals.append({})

    def undo(self) -> dict[Key, object]:
        """End a side: the store is as before; what the side had written is given back."""
        journal = self._journals.pop()
        written = {key: self._store[key] for key in journal}
        for key, old in journal.items():
            if old is _ABSENT:
                del self._store[key]
            else:
                self._store[key] = old
        return written

    def replay(self, written: dict[Key, object]) -> None:
        """Write what one side had written."""
        for key, value in written.items():
            self._write(key, value)

    def merge(
        self,
        first: dict[Key, object],
        second: dict[Key, object],
        joined: Callable[[Value, Value], Value],
        places: Callable[[Placement, Placement], Placement],
    ) -> None:
        """Write what two sides agree on; what only one of them made stays."""
        for key in first.keys() | second.keys():
            base = self._store.get(key, _ABSENT)
            a, b = first.get(key, base), second.get(key, base)
            if a is _ABSENT or a is b:
                result = b
            elif b is _ABSENT:
                result = a
            elif isinstance(a, Placement) and isinstance(b, Placement):
                result = places(a, b)
            else:
                assert isinstance(a, Value) and isinstance(b, Value)
                result = joined(a, b)
            self._write(key, result)


def children(objects: dict[int, Object], heap: Heap, ref: int) -> Iterator[int]:
    """The registered child modules of a module: those that `Module.to` moves along."""
    info = objects[ref]
    for name in info.names:
        value = heap.attribute(ref, name)
        if isinstance(value, Module):
            yield value.ref
    for part in info.parts:
        yield from modules_in(part)


def modules_in(value: Value) -> Iterator[int]:
    match value:
        case Module(ref=ref):
            yield ref
        case Modules(refs=refs):
            yield from refs
        case Items(items=tuple(items)):
            for item in items:
                yield from modules_in(item)
        case Items(element=element) | Table(element=element, entries=None):
            yield from modules_in(element)
        case Table(entries=dict(entries)):
            for item in entries.values():
                yield from modules_in(item)


def place_of(objects: dict[int, Object], heap: Heap, ref: int, depth: int = 6) -> Placement:
    """Where the parameters of a module live: where all its children live, or where it was moved itself."""
    own = heap.place(ref)
    if depth == 0:
        return own
    place: Placement | None = None
    for child in children(objects, heap, ref):
        if objects[child].stateless or child == ref:
            continue
        inner = place_of(objects, heap, child, depth - 1)
        place = inner if place is None else join(place, inner)
    return own if place is None else place


def place_of_wrapped(objects: dict[int, Object], heap: Heap, ref: int) -> Placement | None:
    """Where everything is that a module of the project holds, if it has only been handed it and it is on a device.

    A wrapper of a model that is on the device has nothing of its own to move.
    """
    info = objects[ref]
    inner = [child for child in children(objects, heap, ref) if not is_stateless(objects, heap, child)]
    if info.cls is None or not inner:
        return None
    held = [heap.attribute(ref, name) for name in info.names]
    places = [place_of(objects, heap, child) for child in inner]
    if any(isinstance(value, Tensor) and value.parameter and not value.place.on_device for value in held):
        return None
    return places[0] if all(place.on_device for place in places) else None


def holds_the_unknown(objects: dict[int, Object], heap: Heap, ref: int) -> bool:
    """Whether all that a module of the project may have to move is something it was handed and nobody knows."""
    info = objects[ref]
    if info.cls is None or info.symbolic or holds_parameters(objects, heap, ref):
        return False
    bodies = [cls.file.text(cls.node.body) for cls in info.cls.lineage()]
    if any(STATE.search(body) or _MADE_BY_A_CALL.search(body) for body in bodies):
        return False
    if any(not is_stateless(objects, heap, child) for child in children(objects, heap, ref)):
        return False
    return any(isinstance(heap.attribute(ref, name), Unknown) for name in info.names)


def is_stateless(objects: dict[int, Object], heap: Heap, ref: int, depth: int = 6) -> bool:
    """Whether a module holds no parameter and no buffer, as far as its class shows."""
    info = objects[ref]
    if info.stateless or info.cls is None or info.symbolic or depth == 0:
        return info.stateless
    for cls in info.cls.lineage():
        for base in cls.bases:
            name = getattr(base, "name", "")
            last = name.rpartition(".")[2]
            if (
                not hasattr(base, "info")
                and name != "torch.nn.Module"
                and last not in STATELESS
                and name != "builtins.object"
            ):
                return False
    held = [heap.attribute(ref, name) for name in info.names]
    if any(isinstance(value, Tensor) and value.parameter for value in held):
        return False
    if any(isinstance(heap.attribute(ref, name), Unknown) for name in info.names if not name.startswith("_")):
        return all(
            is_stateless(objects, heap, child, depth - 1) for child in children(objects, heap, ref)
        ) and not _may_hold_state(info)
    return all(is_stateless(objects, heap, child, depth - 1) for child in children(objects, heap, ref))


def holds_parameters(objects: dict[int, Object], heap: Heap, ref: int, depth: int = 6) -> bool:
    """Whether a module is known to hold a parameter: itself, or in a child."""
    info = objects[ref]
    if info.stateless or depth == 0:
        return False
    if info.cls is not None or info.lists_parts:
        own = [heap.attribute(ref, name) for name in info.names]
        return any(isinstance(value, Tensor) and value.parameter and value.grad for value in own) or any(
            child != ref and holds_parameters(objects, heap, child, depth - 1) for child in children(objects, heap, ref)
        )
    name = info.external.rpartition(".")[2]
    if not info.external.startswith("torch.nn.") or name in STATELESS or not isinstance(info.spot.node, cst.Call):
        return False
    affine = keyword(info.spot.node, "affine") or keyword(info.spot.node, "elementwise_affine")
    return literal(affine.value) is True if affine is not None else not name.startswith("InstanceNorm")


def _may_hold_state(info: Object) -> bool:
    """Whether the text of the class registers anything."""
    assert info.cls is not None
    return any(STATE.search(cls.file.text(cls.node)) is not None for cls in info.cls.lineage())


def move(objects: dict[int, Object], heap: Heap, ref: int, place: Placement, depth: int = 8) -> None:
    """`module.to(...)`: the module and its registered children change place."""
    heap.set_place(ref, place)
    if depth:
        for child in list(children(objects, heap, ref)):
            if child != ref:
                move(objects, heap, child, place, depth - 1)

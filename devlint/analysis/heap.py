"""The objects that programs change in place: modules and instances, their attributes and placements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devlint.analysis.placement import HOST, Placement, join
from devlint.analysis.values import Items, Module, Table, Value, join_values

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
    escaped: bool = False
    """Handed to code that may move it."""


class Heap:
    """Placements and attributes by object; copied at branches and joined after them."""

    __slots__ = ("attributes", "places", "version")

    def __init__(self) -> None:
        self.places: dict[int, Placement] = {}
        self.attributes: dict[tuple[int, str], Value] = {}
        self.version = 0

    def copy(self) -> Heap:
        other = Heap()
        other.places = self.places.copy()
        other.attributes = self.attributes.copy()
        other.version = self.version
        return other

    def joined(self, other: Heap) -> Heap:
        result = self.copy()
        result.version = max(self.version, other.version)
        for ref, place in other.places.items():
            mine = result.places.get(ref, place)
            if mine is not place:
                result.places[ref] = join(mine, place)
        for key, value in other.attributes.items():
            known = result.attributes.get(key)
            if known is None:
                result.attributes[key] = value
            elif known is not value:
                result.attributes[key] = join_values(known, value)
        return result


def children(objects: dict[int, Object], heap: Heap, ref: int) -> Iterator[int]:
    """The registered child modules of a module: those that `Module.to` moves along."""
    info = objects[ref]
    for name in info.names:
        value = heap.attributes.get((ref, name))
        if isinstance(value, Module):
            yield value.ref
    for part in info.parts:
        yield from modules_in(part)


def modules_in(value: Value) -> Iterator[int]:
    match value:
        case Module(ref=ref):
            yield ref
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
    own = heap.places.get(ref, HOST)
    if depth == 0:
        return own
    place: Placement | None = None
    for child in children(objects, heap, ref):
        if objects[child].stateless or child == ref:
            continue
        inner = place_of(objects, heap, child, depth - 1)
        place = inner if place is None else join(place, inner)
    return own if place is None else place


def move(objects: dict[int, Object], heap: Heap, ref: int, place: Placement, depth: int = 8) -> None:
    """`module.to(...)`: the module and its registered children change place."""
    heap.places[ref] = place
    heap.version += 1
    if depth:
        for child in list(children(objects, heap, ref)):
            if child != ref:
                move(objects, heap, child, place, depth - 1)

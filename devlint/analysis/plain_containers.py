"""Layers that a module keeps in a plain list or dict: `Module.to`, `parameters` and `state_dict` do not see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import heap as objects_of
from devlint.analysis.facts import LayersInContainer, Site
from devlint.analysis.frame import ClassInfo
from devlint.analysis.parsed import Spot
from devlint.analysis.syntax import descendants, dotted
from devlint.analysis.values import Items, Module, Table, Value

if TYPE_CHECKING:
    from devlint.analysis.frame import Frame
    from devlint.analysis.interpreter import Interpreter

_REGISTERING = frozenset("add_module register_module setattr _modules __dict__ register_parameter vars".split())
_TAKING_OVER = frozenset("to cuda _apply apply parameters named_parameters __getattr__".split())
"""Methods whose override may reach what is not registered."""
_MOVES = frozenset("to cuda cpu to_empty _apply apply".split())


@dataclass(eq=False, slots=True)
class _Kept:
    owner: ClassInfo
    name: str
    own: str
    """What the method calls its receiver."""
    site: Site | None = None
    value: cst.BaseExpression | None = None
    refs: dict[int, None] = field(default_factory=dict)
    receivers: set[int] = field(default_factory=set)


class PlainContainers:
    """What modules put into plain containers while they are made."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self._kept: dict[tuple[cst.CSTNode, str], _Kept] = {}
        self._local: dict[tuple[int, str], dict[int, None]] = {}

    def put(self, container: cst.BaseExpression | None, values: Iterable[Value]) -> None:
        """`layers.append(layer)`, `self.layers[key] = layer`: by the text of the container."""
        refs = [ref for value in values for ref in objects_of.modules_in(value)]
        frame = self.run.frame
        name = dotted(container) if container is not None else ""
        if not refs or not name:
            return
        own, _, attribute = name.partition(".")
        if not attribute:
            self._local.setdefault((id(frame), name), {}).update(dict.fromkeys(refs))
        elif "." not in attribute and (kept := self._of(frame, own, attribute)) is not None:
            kept.refs.update(dict.fromkeys(refs))

    def kept(self, ref: int, name: str, value: Value) -> None:
        """An attribute of a module is set to a plain container."""
        frame = self.run.frame
        if not isinstance(value, Items | Table) or not isinstance(frame.receiver, Module) or frame.receiver.ref != ref:
            return
        assigned = _assigned(frame.statement, name)
        if assigned is None:
            return
        own, expression = assigned
        if (kept := self._of(frame, own, name)) is None:
            return
        if kept.site is None:
            kept.site, kept.value = self.run.meetings.site(frame.statement or expression), expression
        kept.refs.update(dict.fromkeys(objects_of.modules_in(value)))
        if isinstance(expression, cst.Name):
            kept.refs.update(self._local.get((id(frame), expression.value), {}))

    def _of(self, frame: Frame, own: str, name: str) -> _Kept | None:
        function, receiver = frame.function, frame.receiver
        if function is None or function.owner is None or not isinstance(receiver, Module) or not function.parameters:
            return None
        if function.parameters[0].name.value != own or not function.owner.is_module:
            return None
        kept = self._kept.setdefault((function.owner.node, name), _Kept(function.owner, name, own))
        kept.receivers.add(receiver.ref)
        return kept

    # -- the end of the run -------------------------------------------------------------------------------------

    def facts(self) -> Iterator[LayersInContainer]:
        """The containers whose layers nothing registers, nothing moves, and a method runs."""
        if not self._kept:
            return
        run = self.run
        registered = {
            child for ref in run.objects for child in objects_of.children(run.objects, run.heap, ref) if child != ref
        }
        for kept in self._kept.values():
            layers = [
                run.objects[ref]
                for ref in kept.refs
                if ref not in registered
                and objects_of.holds_parameters(run.objects, run.heap, ref)
                and self._made_inside(ref, kept)
                and not run.place_of(ref).on_device
            ]
            if kept.site is None or kept.value is None or not layers or kept.site.guarded:
                continue
            if _hides_one(kept.value):
                continue
            classes = _family(kept, self.run)
            if _registers_otherwise(classes, kept.name) or _moved_by_hand(kept):
                continue
            uses = list(_runs_of(classes, kept.name))
            if not uses:
                continue
            yield LayersInContainer(
                kept.site,
                kept.owner,
                kept.name,
                kept.value,
                tuple(dict.fromkeys(layer.spot for layer in layers)),
                tuple(uses),
            )

    def _made_inside(self, ref: int, kept: _Kept) -> bool:
        """Made by the module that keeps it, not handed to it: `self.teacher = [teacher]` hides one on purpose."""
        frame = self.run.objects[ref].frame
        if frame is None:
            return False
        return any(
            isinstance(around.receiver, Module) and around.receiver.ref in kept.receivers for around in frame.chain()
        )


def _assigned(statement: cst.CSTNode | None, name: str) -> tuple[str, cst.BaseExpression] | None:
    """The receiver and the value of `self.name = value`, where that is the whole statement."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            pass
        case cst.SimpleStatementLine(body=[cst.AnnAssign(target=target, value=cst.BaseExpression() as value)]):
            pass
        case _:
            return None
    match target:
        case cst.Attribute(value=cst.Name(value=own), attr=cst.Name(value=attribute)) if attribute == name:
            return own, value
        case _:
            return None


def _hides_one(value: cst.BaseExpression) -> bool:
    """`[backbone]`: a display of one layer has no other purpose than to keep it out of `parameters()`."""
    return (
        isinstance(value, cst.List | cst.Tuple)
        and len(value.elements) == 1
        and not isinstance(value.elements[0], cst.StarredElement)
    )


def _family(kept: _Kept, run: Interpreter) -> list[ClassInfo]:
    """The class that keeps the layers, its bases, and the classes of the instances that were seen."""
    found: dict[int, ClassInfo] = {}
    for start in (kept.owner, *(run.objects[ref].cls for ref in kept.receivers)):
        for cls in start.lineage() if start is not None else ():
            found.setdefault(id(cls), cls)
    return list(found.values())


def _registers_otherwise(classes: list[ClassInfo], name: str) -> bool:
    """Whether the class registers by other means, hands the container to another class, or moves its own way."""
    for cls in classes:
        if _TAKING_OVER & cls.methods.keys():
            return True
        for node in descendants(cls.node):
            match node:
                case cst.Name(value=word) if word in _REGISTERING:
                    return True
                case cst.Call(func=func, args=args) if dotted(func).rpartition(".")[2][:1].isupper():
                    if any(_mentions(arg.value, name) for arg in args):
                        return True
    return False


def _moved_by_hand(kept: _Kept) -> bool:
    """`for layer in self.layers: layer.to(device)`, `self.layers[0].cuda()`, anywhere in the file."""
    for node in descendants(kept.owner.file.module):
        match node:
            case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=method))) if method in _MOVES:
                if _mentions(receiver, kept.name):
                    return True
            case cst.For(iter=iterated, body=body) if _mentions(iterated, kept.name) and _moves_anything(body):
                return True
            case (
                cst.ListComp(elt=body, for_in=cst.CompFor(iter=iterated))
                | cst.GeneratorExp(elt=body, for_in=cst.CompFor(iter=iterated))
            ) if _mentions(iterated, kept.name) and _moves_anything(body):
                return True
            case cst.DictComp(value=body, for_in=cst.CompFor(iter=iterated)) if _mentions(iterated, kept.name):
                if _moves_anything(body):
                    return True
    return False


def _moves_anything(body: cst.CSTNode) -> bool:
    """Whether a name is moved: `layer.to(device)`, not `x = layer(x).to(device)`."""
    return any(
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value in _MOVES
        and isinstance(node.func.value, cst.Name | cst.Subscript)
        for node in descendants(body)
    )


def _runs_of(classes: list[ClassInfo], name: str) -> Iterator[Spot]:
    """Where a method other than `__init__` runs what the container holds; else where it mentions the container."""
    calls = list(_calls(classes, name))
    yield from calls or _mentioned(classes, name)


def _mentioned(classes: list[ClassInfo], name: str) -> Iterator[Spot]:
    for cls in classes:
        for method, info in cls.methods.items():
            if method == "forward" and info.parameters:
                own = info.parameters[0].name.value
                yield from (Spot(cls.file, node) for node in descendants(info.node) if dotted(node) == f"{own}.{name}")


def _calls(classes: list[ClassInfo], name: str) -> Iterator[Spot]:
    for cls in classes:
        for method, info in cls.methods.items():
            if method == "__init__":
                continue
            for node in descendants(info.node):
                match node:
                    case cst.Call(func=func) if _element(func, name):
                        yield Spot(cls.file, node)
                    case cst.For(target=target, iter=iterated, body=body) if _mentions(iterated, name):
                        yield from (Spot(cls.file, call) for call in _calls_of(target, body))
                    case cst.ListComp(elt=body, for_in=for_in) | cst.GeneratorExp(elt=body, for_in=for_in):
                        if _mentions(for_in.iter, name):
                            yield from (Spot(cls.file, call) for call in _calls_of(for_in.target, body))


def _calls_of(target: cst.BaseAssignTargetExpression, body: cst.CSTNode) -> Iterator[cst.Call]:
    names = {node.value for node in descendants(target) if isinstance(node, cst.Name)}
    for node in descendants(body):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in names:
            yield node


def _element(func: cst.BaseExpression, name: str) -> bool:
    """`self.layers[0]`, `self.heads[task]`."""
    return isinstance(func, cst.Subscript) and _is_attribute(func.value, name)


def _is_attribute(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == name


def _mentions(node: cst.CSTNode, name: str) -> bool:
    return any(isinstance(part, cst.Attribute) and part.attr.value == name for part in descendants(node))

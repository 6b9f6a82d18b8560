"""Optimizers that were made, or given their state, before their model was moved.

`Module.to` puts new data into the old parameters, so that an optimizer keeps them; what it does not move is state that
the optimizer already holds. https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import heap as objects_of
from devlint.analysis.facts import OptimizerBeforeMove
from devlint.analysis.parsed import Spot
from devlint.analysis.syntax import descendants, dotted, keyword, literal
from devlint.analysis.torch_table import STATE_AT_ONCE
from devlint.analysis.values import Items, Module, Optimizer, Table, Tensor, Value

_HELPER = re.compile(r"optim\w*_(to|cuda)\b|(move|to_device|cuda)\w*_optim", re.IGNORECASE)

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.frame import Frame
    from devlint.analysis.interpreter import Interpreter
    from devlint.analysis.parsed import ParsedFile


@dataclass(eq=False, slots=True)
class _Made:
    fact: OptimizerBeforeMove
    refs: frozenset[int]
    at_once: bool
    """It makes its state in its constructor."""
    names: dict[str, int]
    """What its modules were called where it was made."""
    frame: Frame
    moved: bool = False
    trained: bool = False
    """It has stepped while a name still held the module that it was made for."""
    replaced: bool = False
    """After the move another optimizer was made for the same module."""
    loaded: Spot | None = None
    stepped: Spot | None = None


@dataclass(slots=True)
class OptimizerOrder:
    """The optimizers of modules on the host, and what happens to both."""

    run: Interpreter
    _made: dict[tuple[cst.CSTNode, tuple[int, ...]], _Made] = field(default_factory=dict)
    """By the call that makes the optimizer and the modules it is for: each run of a function makes another."""

    def made(self, name: str, node: cst.CSTNode, arguments: Arguments) -> Optimizer:
        """`torch.optim.Adam(model.parameters())`; only what holds parameters on the host is remembered."""
        run = self.run
        refs = {ref for argument in arguments for ref in _modules_of(argument.value)}
        names: dict[str, int] = {}
        if isinstance(node, cst.Call):
            for part in descendants(node):
                match part:
                    case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value="parameters"))) if dotted(owner):
                        if isinstance(value := run.evaluate(owner), Module):
                            refs.add(value.ref)
                            names[dotted(owner)] = value.ref
        for known in self._made.values():
            known.replaced = known.replaced or (known.moved and bool(known.refs & refs))
        refs = {ref for ref in refs if run.place_of(ref).on_host}
        if refs and isinstance(node, cst.Call) and not run.offline and not run.owned:
            momentum = keyword(node, "momentum")
            plain = name == "SGD" and (momentum is None or literal(momentum.value) in (0, 0.0))
            fact = OptimizerBeforeMove(run.meetings.site(node), name, not plain, None, None, None)
            self._made.setdefault(
                (node, tuple(sorted(refs))), _Made(fact, frozenset(refs), name in STATE_AT_ONCE, names, run.frame)
            )
        return Optimizer(tuple(sorted(refs)), node)

    def used(self, optimizer: Optimizer, method: str, node: cst.CSTNode) -> None:
        """`load_state_dict` and `step` give an optimizer state, where its parameters are."""
        made = self._made.get((optimizer.made, optimizer.refs)) if optimizer.made is not None else None
        if made is None:
            return
        if method == "step" and any(_holds(made.frame.env.get(name), ref) for name, ref in made.names.items()):
            made.trained = True
        if made.moved or not all(self.run.place_of(ref).on_host for ref in made.refs):
            return
        if method == "load_state_dict":
            made.loaded = self.run.spot(node)
        elif method == "step":
            made.stepped = self.run.spot(node)

    def moved(self, ref: int, node: cst.CSTNode) -> None:
        """A module was moved to a device: what of it did an optimizer hold on the host?"""
        if not self._made or self.run.offline:
            return
        inside = set(_closure(self.run, ref))
        for made in self._made.values():
            if made.refs & inside and not made.moved:
                made.moved = True
                state = made.fact.stateful
                made.fact = replace(
                    made.fact,
                    moved=self.run.spot(node),
                    loaded=made.loaded if state else None,
                    held=made.fact.site.spot if made.at_once else made.stepped if state else None,
                )

    def facts(self) -> Iterator[OptimizerBeforeMove]:
        """One fact for each call that makes an optimizer: the worst that happens to what it makes."""
        worst: dict[cst.CSTNode, OptimizerBeforeMove] = {}
        for (node, _), made in self._made.items():
            if (rebuilt := self._rebuilt(node, made)) is not None:
                worst.setdefault(node, replace(made.fact, replaced=rebuilt))
            if made.replaced or (_gravity(made.fact) and _state_is_moved(made.fact.site.spot.file)):
                continue
            if made.moved and _gravity(made.fact) > (_gravity(worst[node]) if node in worst else -1):
                worst[node] = made.fact
        yield from worst.values()

    def _rebuilt(self, node: cst.CSTNode, made: _Made) -> Spot | None:
        """Where the name of a module is bound to another one, on a device, that the optimizer does not know."""
        run, env = self.run, made.frame.env
        if (
            made.moved
            or made.trained
            or not any(isinstance(v, Optimizer) and v.made is node and set(v.refs) == made.refs for v in env.values())
        ):
            return None
        for name, ref in made.names.items():
            now, bound = env.get(name), made.frame.bound.get(name)
            if not isinstance(now, Module) or now.ref == ref or bound is None or not run.place_of(now.ref).on_device:
                continue
            known = {
                inner for value in env.values() for one in objects_of.modules_in(value) for inner in _closure(run, one)
            }
            if ref not in known and run.place_of(ref).on_host:
                return Spot(made.frame.file, bound.statement)
        return None


def _state_is_moved(file: ParsedFile) -> bool:
    """`for state in optimizer.state.values(): ...`, or a helper called `optimizer_to`: the state is taken along."""
    for node in descendants(file.module):
        match node:
            case cst.For(iter=iterated):
                parts = (part for part in descendants(iterated) if isinstance(part, cst.Attribute))
                if any(part.attr.value == "state" for part in parts):
                    return True
            case cst.Call(func=func) if _HELPER.search(dotted(func)):
                return True
    return False


def _holds(value: Value | None, ref: int) -> bool:
    return isinstance(value, Module) and value.ref == ref


def _gravity(fact: OptimizerBeforeMove) -> int:
    return 2 if fact.loaded is not None else int(fact.held is not None)


def _modules_of(value: Value) -> Iterator[int]:
    match value:
        case Tensor(of=int() as ref):
            yield ref
        case Items(items=tuple(items)):
            for item in items:
                yield from _modules_of(item)
        case Items(element=element) | Table(element=element, entries=None):
            yield from _modules_of(element)
        case Table(entries=dict(entries)):
            for item in entries.values():
                yield from _modules_of(item)


def _closure(run: Interpreter, ref: int, depth: int = 8) -> Iterator[int]:
    yield ref
    if depth:
        for child in list(objects_of.children(run.objects, run.heap, ref)):
            if child != ref:
                yield from _closure(run, child, depth - 1)

"""Losses that are summed up or collected with their graph, after `backward()` has used it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import KeptGraph
from devlint.analysis.parsed import Spot, is_test_file
from devlint.analysis.surroundings import around, within
from devlint.analysis.syntax import descendants, dotted, keyword
from devlint.analysis.values import Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

_LETS_GO = frozenset("item detach cpu numpy tolist data float".split())
_AS_NUMBERS = frozenset(["float", "len", "int"])
_OF_NUMBERS = frozenset(["np", "numpy", "plt", "math", "statistics"])


class KeptGraphs:
    """Those of one run, by the expression that is kept."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, KeptGraph] = {}

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None) -> None:
        """A method call, once its parts are evaluated."""
        frame = self.run.frame
        if name != "backward" or not frame.loops or is_test_file(frame.file):
            return
        loop = next((one.node for one in reversed(frame.loops) if isinstance(one.node, cst.For | cst.While)), None)
        if loop is None or not within(loop.body, node) or (receiver is not None and not _may_hold_graph(receiver)):
            return
        if any(keyword(node, word) is not None for word in ("retain_graph", "create_graph")):
            return
        scope: cst.CSTNode = frame.function.node if frame.function is not None else frame.file.module
        assert isinstance(node.func, cst.Attribute)
        loss = _scaled(node.func.value)
        if not loss or _let_go(loop, loss):
            return
        for kept, target in _accumulations(loop, loss):
            attribute = isinstance(target, cst.Attribute)
            where = self._owner_of(target) if attribute else scope
            if where is None or kept in self.found or _without_graph(loop, kept):
                continue
            if not _starts_empty(where, loop, target) or _goes_back(where, target):
                continue
            part = next(n for n in descendants(kept) if isinstance(n, cst.Name) and n.value == loss)
            self.found[kept] = KeptGraph(
                self.run.meetings.site(kept),
                part,
                target,
                Spot(frame.file, node),
                not attribute and _only_numbers(scope, target),
            )

    def _owner_of(self, target: cst.BaseExpression) -> cst.CSTNode | None:
        """The class whose methods keep something in `self.history`."""
        function = self.run.frame.function
        own = function.parameters[0].name.value if function is not None and function.parameters else ""
        if function is None or function.owner is None or not own or dotted(target).rpartition(".")[0] != own:
            return None
        return function.owner.node


def _may_hold_graph(value: Value) -> bool:
    return not isinstance(value, Tensor) or not value.parameter


def _scaled(value: cst.BaseExpression) -> str:
    """The loss in `loss`, `scaler.scale(loss)`, `(loss / steps)`: its name."""
    match value:
        case cst.Name(value=name):
            return name
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="scale")), args=[cst.Arg(value=inner, keyword=None)]):
            return _scaled(inner)
        case cst.BinaryOperation(left=left, operator=cst.Multiply() | cst.Divide()):
            return _scaled(left)
        case _:
            return ""


def _let_go(loop: cst.CSTNode, loss: str) -> bool:
    """Whether the loop binds the name again to something without a graph (`loss = loss.item()`)."""
    for node in descendants(loop):
        match node:
            case cst.Assign(targets=targets, value=value) if any(dotted(target.target) == loss for target in targets):
                if any(isinstance(n, cst.Attribute) and n.attr.value in _LETS_GO for n in descendants(value)):
                    return True
            case cst.Del() if any(isinstance(n, cst.Name) and n.value == loss for n in descendants(node)):
                return True
            case cst.Call(func=cst.Attribute(attr=cst.Name(value="detach_"), value=owner)) if dotted(owner) == loss:
                return True
    return False


def _accumulations(loop: cst.For | cst.While, loss: str) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """What is kept of the loss on each turn, and in what."""
    for node in descendants(loop.body):
        match node:
            case cst.AugAssign(target=target, operator=cst.AddAssign(), value=value) if _holds(value, loss):
                yield value, target
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=name) as target)],
                value=cst.BinaryOperation(left=cst.Name(value=first), operator=cst.Add(), right=value),
            ) if name == first and name != loss and _holds(value, loss):
                yield value, target
            case cst.Call(
                func=cst.Attribute(value=target, attr=cst.Name(value="append")),
                args=[cst.Arg(value=value, keyword=None, star="")],
            ) if _holds(value, loss):
                yield value, target


def _holds(value: cst.BaseExpression, loss: str) -> bool:
    """Whether the loss itself takes part: alone, or in arithmetic."""
    match value:
        case cst.Name(value=name):
            return name == loss
        case cst.BinaryOperation(left=left, right=right):
            return _holds(left, loss) or _holds(right, loss)
        case _:
            return False


def _without_graph(loop: cst.For | cst.While, kept: cst.CSTNode) -> bool:
    """Whether it is kept under `no_grad`, or by a function that the loop only defines."""
    for outer in around(loop.body, kept):
        if isinstance(outer, cst.With) and any("no_grad" in dotted(_called(item.item)) for item in outer.items):
            return True
        if isinstance(outer, cst.FunctionDef | cst.Lambda):
            return True
    return False


def _called(value: cst.BaseExpression) -> cst.BaseExpression:
    return value.func if isinstance(value, cst.Call) else value


def _starts_empty(scope: cst.CSTNode, loop: cst.CSTNode, target: cst.BaseExpression) -> bool:
    """Whether the scope sets it to zero or to an empty list before the loop, and nowhere in it."""
    name, empty = dotted(target), False
    if not name:
        return False
    for node in descendants(scope):
        match node:
            case cst.Assign(targets=targets, value=value):
                if not any(_binds(one.target, name) for one in targets):
                    continue
            case cst.AnnAssign(target=cst.Name(value=bound), value=cst.BaseExpression() as value) if bound == name:
                pass
            case cst.Global() | cst.Nonlocal() if any(item.name.value == name for item in node.names):
                return False
            case _:
                continue
        if within(loop, node):
            if not _adds_to_itself(value, name):
                return False
        else:
            empty = empty or _is_empty(_part_for(node, name, value))
    return empty


def _binds(target: cst.BaseExpression, name: str) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return any(_binds(element.value, name) for element in target.elements)
    return dotted(target) == name


def _part_for(node: cst.CSTNode, name: str, value: cst.BaseExpression) -> cst.BaseExpression:
    """The part of a tuple that a name is bound to: `0` for `n` in `total, n = 0.0, 0`."""
    match node, value:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=names))]), cst.Tuple(elements=parts):
            for one, part in zip(names, parts, strict=False):
                if dotted(one.value) == name:
                    return part.value
    return value


def _adds_to_itself(value: cst.BaseExpression, name: str) -> bool:
    return isinstance(value, cst.BinaryOperation) and dotted(value.left) == name


def _is_empty(value: cst.BaseExpression) -> bool:
    match value:
        case cst.Integer(value=digits) | cst.Float(value=digits):
            return not digits.strip("0.e_")
        case cst.List(elements=elements):
            return not elements
        case cst.Call(func=cst.Name(value="list" | "float" | "int"), args=[]):
            return True
        case _:
            return False


def _goes_back(scope: cst.CSTNode, target: cst.BaseExpression) -> bool:
    """Whether a gradient is taken of what was kept, or it is thinned out again."""
    name = dotted(target)
    for node in descendants(scope):
        match node:
            case cst.Call(
                func=cst.Attribute(value=value, attr=cst.Name(value="backward" | "pop" | "clear" | "popleft"))
            ):
                if _names(value, name):
                    return True
            case cst.Call(func=func, args=args) if dotted(func).rpartition(".")[2] in {"grad", "backward"}:
                if any(_names(arg, name) for arg in args):
                    return True
    return False


def _names(node: cst.CSTNode, name: str) -> bool:
    return any(isinstance(n, cst.Name | cst.Attribute) and dotted(n) == name for n in descendants(node))


def _only_numbers(scope: cst.CSTNode, target: cst.BaseExpression) -> bool:
    """Whether a number does wherever it is read: `float(total)`, `len(losses)`, `f"{total / n:.3f}"`."""
    name = dotted(target)
    for node in descendants(scope):
        if not isinstance(node, cst.Name) or node.value != name:
            continue
        if not _read_as_number(node, list(around(scope, node)), name):
            return False
    return True


def _read_as_number(node: cst.Name, outers: list[cst.CSTNode], name: str) -> bool:
    """Whether what first reads it takes a number, with nothing but arithmetic and indices between.

    `f"{sum(part.item() for part in losses):.3f}"` asks each part for what only a tensor has.
    """
    for outer in reversed(outers):
        match outer:
            case cst.Call(func=cst.Name(value="sum" | "min" | "max")):
                continue
            case cst.Call():
                return _wants_numbers(dotted(outer.func)) and _given(outer, node)
            case cst.FormattedStringExpression():
                return bool(outer.format_spec)
            case cst.AugAssign() | cst.AssignTarget():
                return True
            case cst.Assign():
                return _adds_to_itself(outer.value, name)
            case cst.Attribute():
                return outer.attr.value == "append"
            case cst.BinaryOperation() | cst.UnaryOperation() | cst.Subscript() | cst.Arg():
                continue
            case _:
                return False
    return False


def _wants_numbers(function: str) -> bool:
    return function in _AS_NUMBERS or function.partition(".")[0] in _OF_NUMBERS


def _given(call: cst.Call, node: cst.CSTNode) -> bool:
    return any(within(arg, node) for arg in call.args)

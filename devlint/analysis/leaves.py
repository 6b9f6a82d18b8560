"""Tensors that were to be trained and are no leaves of the graph: they were moved after they were made trainable.

`nn.Parameter(x).to(device)` is the result of an operation on a parameter: no parameter itself, and no leaf where the
move copies. https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import MovedLeaf
from devlint.analysis.parsed import Spot
from devlint.analysis.syntax import descendants, dotted, keyword, literal, target_names
from devlint.analysis.torch_table import OPTIMIZERS
from devlint.analysis.values import External, Method, Module, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_REPAIRED = frozenset("requires_grad_ retain_grad requires_grad detach_ register_hook".split())
"""What a program uses of a tensor that it makes a leaf again, or whose gradient it asks for."""


class Leaves:
    """The trainable tensors that are made, and those that are moved."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self._made: dict[cst.CSTNode, bool] = {}
        """Calls that make a leaf that wants a gradient, and whether it is a parameter."""
        self._moved: dict[cst.CSTNode, MovedLeaf] = {}

    def call_seen(self, node: cst.Call, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """Every call passes here once its parts are evaluated."""
        if isinstance(callee, External) and callee.name.startswith("torch."):
            wanted = keyword(node, "requires_grad")
            if callee.name.startswith("torch.nn.") and callee.name.endswith(".Parameter"):
                if wanted is None or literal(wanted.value) is True:
                    self._made[node] = True
            elif wanted is not None and literal(wanted.value) is True:
                self._made[node] = False
        elif isinstance(receiver, Tensor) and isinstance(callee, Method) and callee.name == "requires_grad_":
            if not node.args or literal(node.args[0].value) is True:
                self._made[node] = False
        elif isinstance(node.func, cst.Attribute) and node.func.attr.value in {"to", "cuda"}:
            self._move_seen(node, node.func, arguments)

    def _move_seen(self, node: cst.Call, func: cst.Attribute, arguments: Arguments) -> None:
        made = self._leaf_behind(func.value)
        if made is None or node in self._moved or self.run.offline:
            return
        if func.attr.value == "to" and not self._names_a_device(arguments):
            return
        target = _target(self.run.frame.statement, node)
        if target is None:
            return
        run = self.run
        own = run.frame.function
        in_module = target.startswith("self.") and isinstance(run.frame.receiver, Module)
        fact = MovedLeaf(run.meetings.site(node), run.spot(made), node, func.value, self._made[made], target, None)
        if self._made[made] and in_module and _is_whole(run.frame.statement, node):
            self._moved[node] = fact
            return
        scope: cst.CSTNode = run.frame.file.module if own is None else own.node
        if own is not None and own.owner is not None and target.startswith("self."):
            scope = own.owner.node
        if (use := _trained(scope, target)) is not None:
            self._moved[node] = replace(fact, use=Spot(run.frame.file, use))

    def _leaf_behind(self, node: cst.BaseExpression) -> cst.CSTNode | None:
        """The call that made the leaf: the expression itself, or what its name was bound to."""
        if node in self._made:
            return node
        if isinstance(node, cst.Name) and (bound := self.run.frame.bound.get(node.value)) is not None:
            return bound.value if bound.value in self._made else None
        return None

    def _names_a_device(self, arguments: Arguments) -> bool:
        from devlint.analysis.calls import keyword_value
        from devlint.analysis.devices import target_of_move

        target = keyword_value(arguments, "device") or keyword_value(arguments, "", 0)
        if target is None or target.keyword not in {"", "device"}:
            return False
        place = target_of_move(self.run, target.value, target.node)
        return place is not None and place.on_device

    def facts(self) -> Iterator[MovedLeaf]:
        yield from self._moved.values()


def _target(statement: cst.CSTNode | None, move: cst.Call) -> str | None:
    """What the result of the move is bound to: `scale`, `self.scale`."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            return dotted(target) or None if _holds(value, move) else None
        case cst.SimpleStatementLine(body=[cst.AnnAssign(target=target, value=cst.BaseExpression() as value)]):
            return dotted(target) or None if _holds(value, move) else None
        case _:
            return None


def _is_whole(statement: cst.CSTNode | None, move: cst.Call) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and getattr(statement.body[0], "value", None) is move


def _holds(value: cst.BaseExpression, move: cst.Call) -> bool:
    """Whether a value is the moved tensor, or a list, tuple or dict of such."""
    match value:
        case cst.List(elements=elements) | cst.Tuple(elements=elements):
            return any(element.value is move for element in elements)
        case cst.Dict(elements=elements):
            return any(element.value is move for element in elements)
        case cst.ListComp(elt=inner) | cst.DictComp(value=inner):
            return inner is move
        case _:
            return value is move


def _trained(scope: cst.CSTNode, target: str) -> cst.CSTNode | None:
    """The optimizer that is given the tensor, or the place that reads its gradient."""
    names = {target}
    found: cst.CSTNode | None = None
    nodes = list(descendants(scope))
    for _ in range(2):
        for node in nodes:
            if isinstance(node, cst.Assign) and _names_one_of(node.value, names, direct=True):
                names.update(name for one in node.targets for name in target_names(one.target))
    for node in nodes:
        match node:
            case cst.Call(func=func, args=args) if dotted(func).rpartition(".")[2] in OPTIMIZERS:
                if any(_names_one_of(arg.value, names) for arg in args):
                    found = found or node
            case cst.Attribute(value=owner, attr=cst.Name(value=used)) if dotted(owner) == target:
                if used in _REPAIRED or (used == "detach" and _bound_anew(nodes, target, node)):
                    return None
                if used == "grad":
                    found = found or node
    return found


def _bound_anew(nodes: list[cst.CSTNode], target: str, part: cst.CSTNode) -> bool:
    """Whether the name is bound to something made of `part`: `x = x.detach().requires_grad_()`."""
    return any(
        isinstance(node, cst.Assign)
        and any(dotted(one.target) == target for one in node.targets)
        and any(inner is part for inner in descendants(node.value))
        for node in nodes
    )


def _names_one_of(node: cst.CSTNode, names: set[str], direct: bool = False) -> bool:
    """Whether an expression names one of the tensors; direct: as an element of a display."""
    if direct:
        if isinstance(node, cst.List | cst.Tuple):
            return any(_names_one_of(element.value, names, direct=True) for element in node.elements)
        return dotted(node) in names and bool(dotted(node))
    return any(dotted(part) in names for part in descendants(node) if isinstance(part, cst.Name | cst.Attribute))

"""The tensors that one call is given: plain, in a display, in a list; and operations that no table knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.placement import Where
from devlint.analysis.torch_table import ANYWHERE
from devlint.analysis.values import Batch, Items, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

Operand = tuple[cst.BaseExpression, Value]


def operands_in(run: Interpreter, node: cst.CSTNode, arguments: Arguments) -> list[Operand]:
    """The tensors of a call; a list of which some are on the host and some on a device has met itself."""
    found: list[Operand] = []
    for argument in arguments:
        match argument.value:
            case Tensor() | Batch():
                found.append((argument.node, argument.value))
            case Items(items=tuple(items)) if isinstance(argument.node, cst.Tuple | cst.List):
                for element, item in zip(argument.node.elements, items, strict=False):
                    if isinstance(item, Tensor | Batch):
                        found.append((element.value, item))
            case Items(element=Tensor() | Batch() as element):
                found.append((argument.node, element))
                if element.place.where is Where.EITHER and element.origin is not None and not run.offline:
                    run.meetings.host_met(element, argument.node, node, argument.node, element.place.device)
    return found


def unknown_in(arguments: Arguments) -> list[Operand]:
    return [(argument.node, argument.value) for argument in arguments if isinstance(argument.value, Unknown)]


def index_put(run: Interpreter, node: cst.Call, receiver: Operand, arguments: Arguments) -> Value:
    """`x.index_put_((i, j), values)`: what is read on the host may index any tensor, the values are where `x` is."""
    from devlint.analysis.expressions import operate

    met: list[Operand] = [receiver]
    for operand, value in operands_in(run, node, arguments):
        is_index = bool(arguments) and (operand is arguments[0].node or operand in _elements(arguments[0].node))
        if not (is_index and isinstance(value, Tensor | Batch) and value.place.may_be_on_host):
            met.append((operand, value))
    return operate(run, node, met)


def unlisted(run: Interpreter, name: str, node: cst.CSTNode, operands: Sequence[Operand]) -> None:
    """An operation that no table knows: torch wants the tensors of nearly all of them on one device."""
    if name not in ANYWHERE and _apart(value for _, value in operands):
        run.meetings.doubts.add(node, f"`{name}` is given tensors of several devices")


def _apart(values: Iterable[Value]) -> bool:
    tensors = [value for value in values if isinstance(value, Tensor | Batch)]
    return any(value.place.on_device for value in tensors) and any(
        value.place.may_be_on_host and not (isinstance(value, Tensor) and value.zero_dim) for value in tensors
    )


def _elements(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [element.value for element in node.elements] if isinstance(node, cst.Tuple | cst.List) else []

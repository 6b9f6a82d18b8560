"""What a backward pass is started with: `out.backward(torch.ones_like(out))`, `torch.autograd.grad(...)`.

Each output and the gradient it is given share a device, but for 0-dimensional ones on the host:
https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import Arguments, keyword_value
from devlint.analysis.handlers import external
from devlint.analysis.values import (
    UNKNOWN_VALUE,
    Batch,
    Items,
    Tensor,
    Value,
    join_all,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


def backward(
    run: Interpreter, output: cst.BaseExpression, value: Tensor | Batch, node: cst.CSTNode, arguments: Arguments
) -> Value:
    """`output.backward(gradient)`."""
    run.meetings.worked()
    if (gradient := keyword_value(arguments, "gradient", 0)) is not None:
        _meet(run, node, [(output, value)], [(gradient.node, gradient.value)])
    return UNKNOWN_VALUE


@external("torch.autograd.backward")
def _backward(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    run.meetings.worked()
    outputs, gradients = keyword_value(arguments, "tensors", 0), keyword_value(arguments, "grad_tensors", 1)
    if outputs is not None and gradients is not None:
        _meet(run, node, _parts(outputs.node, outputs.value), _parts(gradients.node, gradients.value))
    return UNKNOWN_VALUE


@external("torch.autograd.grad")
def _grad(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    outputs, gradients = keyword_value(arguments, "outputs", 0), keyword_value(arguments, "grad_outputs", 2)
    if outputs is not None and gradients is not None:
        _meet(run, node, _parts(outputs.node, outputs.value), _parts(gradients.node, gradients.value))
    inputs = keyword_value(arguments, "inputs", 1)
    if inputs is None:
        return UNKNOWN_VALUE
    if not isinstance(inputs.value, Items):
        return Items(_gradient_of(inputs.value), (_gradient_of(inputs.value),))
    if inputs.value.items is None:
        return Items(_gradient_of(inputs.value.element))
    items = tuple(_gradient_of(item) for item in inputs.value.items)
    return Items(join_all(items), items)


def _gradient_of(value: Value) -> Value:
    """The gradient of a tensor is where the tensor is, and of its shape."""
    match value:
        case Tensor():
            return replace(value, parameter=False, grad=False)
        case Batch(place=place, origin=origin):
            return Tensor(place, origin, zero_dim=None)
        case _:
            return UNKNOWN_VALUE


def _meet(
    run: Interpreter,
    node: cst.CSTNode,
    outputs: list[tuple[cst.BaseExpression, Value]],
    gradients: list[tuple[cst.BaseExpression, Value]],
) -> None:
    for output, gradient in zip(outputs, gradients, strict=False):
        scalar = isinstance(output[1], Tensor) and output[1].zero_dim is True
        run.meetings.met(node, [output, gradient], strict=not scalar)


def _parts(node: cst.BaseExpression, value: Value) -> list[tuple[cst.BaseExpression, Value]]:
    return list(_each(node, value))


def _each(node: cst.BaseExpression, value: Value) -> Iterator[tuple[cst.BaseExpression, Value]]:
    match value:
        case Items(items=tuple(items)):
            shown = isinstance(node, cst.Tuple | cst.List) and len(node.elements) == len(items)
            for index, item in enumerate(items):
                yield node.elements[index].value if shown and isinstance(node, cst.Tuple | cst.List) else node, item
        case Items(element=element):
            yield node, element
        case _:
            yield node, value

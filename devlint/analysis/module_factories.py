"""Modules that `torch.nn` makes: layers, containers, losses, and wrappers that copy a model to several cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import torch_table as table
from devlint.analysis.calls import Arguments
from devlint.analysis.factories import device_argument
from devlint.analysis.handlers import external
from devlint.analysis.values import (
    UNKNOWN_VALUE,
    Const,
    Items,
    Module,
    Table,
    Tensor,
    Value,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


def make_module(run: Interpreter, name: str, last: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if last == "Parameter":
        inner = arguments[0].value if arguments else UNKNOWN_VALUE
        return Tensor(placement_of(inner), None, False, parameter=True, grad=True)
    if last == "DataParallel" or last == "DistributedDataParallel" or last == "FullyShardedDataParallel":
        return _parallel(run, last, node, arguments)
    if not last[:1].isupper() or last in table.PARAMETER_CONTAINERS:
        return UNKNOWN_VALUE
    weights = [
        a.value
        for position, a in enumerate(arguments)
        if a.keyword in {"weight", "pos_weight"} or (position == 0 and not a.keyword and isinstance(a.value, Tensor))
    ]
    weights = [weight for weight in weights if _weighs(weight, last)]
    weighted = last in table.LOSSES and bool(weights)
    module = run.new_object(node, external=name, stateless=last in table.STATELESS and not weighted, module=True)
    assert isinstance(module, Module)
    info = run.objects[module.ref]
    if last in table.CONTAINERS or last in {"TransformerEncoder", "TransformerDecoder"}:
        info.lists_parts = True
        info.parts.extend(_part_values(arguments))
        parts = [ref for value in info.parts for ref in _refs(value)]
        info.stateless = last == "Sequential" and bool(parts) and all(run.objects[ref].stateless for ref in parts)
    if (place := device_argument(run, arguments)) is not None:
        run.move(module.ref, place)
    elif weighted:
        run.move(module.ref, placement_of(weights[0]))
    return module


def _weighs(weight: Value, loss: str) -> bool:
    """Whether the weight of a loss has to be where the loss is used; a 0-dimensional one may be on the host."""
    if isinstance(weight, Tensor):
        return weight.zero_dim is False or (weight.zero_dim is None and loss in {"CrossEntropyLoss", "NLLLoss"})
    return not (isinstance(weight, Const) and weight.value is None)


def _part_values(arguments: Arguments) -> list[Value]:
    values: list[Value] = []
    for argument in arguments:
        match argument.value:
            case Items(items=tuple(items)):
                values.extend(items)
            case Items(element=element):
                values.append(element)
            case Table(entries=dict(entries)):
                values.extend(entries.values())
            case other:
                values.append(other)
    return values


def _refs(value: Value) -> list[int]:
    return [value.ref] if isinstance(value, Module) else []


def _parallel(run: Interpreter, last: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    inner = arguments[0].value if arguments else UNKNOWN_VALUE
    if not isinstance(inner, Module):
        return UNKNOWN_VALUE
    module = run.new_object(node, external=f"torch.nn.{last}", module=True)
    assert isinstance(module, Module)
    info = run.objects[module.ref]
    info.scatters = True
    info.parts.append(inner)
    run.set_attribute(module.ref, "module", inner)
    return module


@external("torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.DistributedDataParallel")
def _data_parallel(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return _parallel(run, name.rpartition(".")[2], node, arguments)

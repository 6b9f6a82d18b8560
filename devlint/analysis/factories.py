"""The tensors that torch's factories make: on their `device=`, else on the default device, which is the host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import keyword_value
from devlint.analysis.devices import target_of_move
from devlint.analysis.operands import operands_in
from devlint.analysis.placement import HOST, UNKNOWN, Placement
from devlint.analysis.values import Array, Batch, Const, Items, Module, Origin, Scalar, Source, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_ONE_DIMENSION = frozenset("arange linspace logspace range randperm bartlett_window hann_window hamming_window".split())
_BY_SIZE = frozenset("zeros ones empty rand randn".split())


def device_argument(run: Interpreter, arguments: Arguments) -> Placement | None:
    """The placement of a `device=` argument; None where there is none."""
    argument = keyword_value(arguments, "device")
    if argument is None or (isinstance(argument.value, Const) and argument.value.value is None):
        return None
    return target_of_move(run, argument.value, argument.node) or UNKNOWN


def made(run: Interpreter, node: cst.CSTNode, source: Source, zero_dim: bool | None, dims: int | None = None) -> Tensor:
    place = run.default_place or HOST
    origin = None
    if place.on_host:
        origin = Origin(
            run.spot(node),
            source,
            in_loop=bool(run.frame.loops) or run.frame.function is not None,
            in_module=isinstance(run.frame.receiver, Module),
            call=run.frame.call,
            frame=run.frame,
        )
    return Tensor(place, origin, zero_dim, dims=dims)


def _dimensions(last: str, arguments: Arguments) -> int | None:
    """How many dimensions a factory makes, as far as its sizes are written out."""
    if last in _ONE_DIMENSION:
        return 1
    sizes = keyword_value(arguments, "size")
    given = [sizes] if sizes is not None else [a for a in arguments if not a.keyword]
    if any(argument.star for argument in given) or last not in _BY_SIZE:
        return None
    if len(given) > 1:
        return len(given) if all(isinstance(a.value, Const | Scalar | Unknown) for a in given) else None
    match given[0].node if given else None:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return None if any(isinstance(e, cst.StarredElement) for e in elements) else len(elements)
        case cst.Integer():
            return 1
        case _:
            return None


def factory(run: Interpreter, last: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    from devlint.analysis.expressions import operate

    if (place := device_argument(run, arguments)) is not None:
        return Tensor(place)
    for argument in arguments:
        if argument.star == "**":
            return Tensor(UNKNOWN)
    if last.startswith("sparse_") and (parts := operands_in(run, node, arguments)):
        return operate(run, node, parts, strict=True)  # indices and values are kept where they are
    first = arguments[0].node if arguments else None
    empty = isinstance(first, cst.Tuple | cst.List) and not first.elements
    return made(run, node, Source.FACTORY, last == "scalar_tensor" or empty, _dimensions(last, arguments))


def from_data(run: Interpreter, last: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if (place := device_argument(run, arguments)) is not None:
        return Tensor(place, zero_dim=None)
    data = keyword_value(arguments, "data", 0) or keyword_value(arguments, "obj")
    if data is not None and isinstance(data.value, Tensor | Batch) and last in {"as_tensor", "asarray"}:
        return data.value
    zero_dim: bool | None = None
    if data is not None:
        if (
            last in {"from_numpy", "frombuffer"}
            or isinstance(data.value, Items | Batch)
            or (isinstance(data.value, Array) and not data.value.maybe_number)
            or isinstance(data.node, cst.List | cst.ListComp | cst.Tuple)
        ):
            zero_dim = False
        elif isinstance(data.value, Const | Scalar):
            zero_dim = True
    flat = data is not None and isinstance(data.value, Items) and _holds_numbers(data.value)
    return made(run, node, Source.DATA, zero_dim, 1 if flat else None)


def _holds_numbers(value: Items) -> bool:
    """Whether every part of a list is a number, so that a tensor of it is a vector."""
    parts = value.items if value.items else (value.element,)
    return all(isinstance(part, Const | Scalar) for part in parts)


def legacy(run: Interpreter, node: cst.CSTNode, arguments: Arguments) -> Value:
    if any(isinstance(a.value, Tensor | Batch) for a in arguments):
        return Tensor(UNKNOWN)
    literal_size = bool(arguments) and all(isinstance(a.value, Const | Scalar) for a in arguments)
    return made(run, node, Source.FACTORY if literal_size or not arguments else Source.DATA, False)


def like(run: Interpreter, arguments: Arguments) -> Value:
    if (place := device_argument(run, arguments)) is not None:
        return Tensor(place)
    match arguments[0].value if arguments else None:
        case Tensor() as tensor:
            return replace(tensor, parameter=False, grad=False)
        case Batch(place=place, origin=origin):
            return Tensor(place, origin, None)
        case _:
            return Tensor(UNKNOWN)

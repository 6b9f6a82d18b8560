"""What numpy's functions and methods give: arrays, and numbers that look like them.

A number of numpy times a tensor is the tensor's business, an array that meets a tensor is numpy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.values import ARRAY, ARRAY_OR_NUMBER, SCALAR, Array, Batch, Const, Items, Scalar, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments

_MAKERS = frozenset(
    """array asarray ascontiguousarray zeros ones empty full arange linspace logspace eye identity stack concatenate
    vstack hstack column_stack meshgrid repeat tile zeros_like ones_like empty_like full_like diff cumsum sort argsort
    where nonzero unique reshape transpose load fromfile frombuffer atleast_1d atleast_2d c_ r_""".split()
)
"""They give arrays whatever they are given."""
_REDUCTIONS = frozenset(
    "sum mean std var min max amin amax median prod any all argmin argmax trace ptp average".split()
)
"""Without an axis they give a number."""


def array_of(name: str, arguments: Arguments) -> Value:
    """The result of a function of numpy; name: its dotted name."""
    last = name.rpartition(".")[2]
    if last in _MAKERS:
        return ARRAY
    values = [argument.value for argument in arguments if not argument.keyword]
    if name.startswith("numpy.random."):
        sized = len(values) > 1 or any(argument.keyword == "size" for argument in arguments)
        return ARRAY if sized else ARRAY_OR_NUMBER
    if last in _REDUCTIONS and not _names_an_axis(arguments, 1):
        return SCALAR
    if values and all(isinstance(value, Const | Scalar) for value in values):
        return SCALAR
    several = any(
        (isinstance(value, Array) and not value.maybe_number)
        or isinstance(value, Items | Batch)
        or (isinstance(value, Tensor) and value.zero_dim is False)
        for value in values
    ) or any(isinstance(argument.node, cst.List | cst.ListComp) for argument in arguments)
    return ARRAY if several else ARRAY_OR_NUMBER


def method_of_array(array: Array, name: str, arguments: Arguments) -> Value:
    if name in {"tolist", "item"}:
        return SCALAR
    if name in _REDUCTIONS and not _names_an_axis(arguments, 0):
        return SCALAR
    return array


def _names_an_axis(arguments: Arguments, position: int) -> bool:
    return any(argument.keyword == "axis" for argument in arguments) or len(arguments) > position

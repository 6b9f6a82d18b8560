"""Tensors that index others, and what is stored by an index.

A host index may index a tensor on a device, the other way round torch raises. `x[2:4] = values` copies from wherever
the values are; `x[mask] = values` and `x[positions] = values` want them where `x` is, unless they are 0-dimensional.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import IndexElsewhere, StoredElsewhere
from devlint.analysis.placement import Where
from devlint.analysis.syntax import dotted, literal
from devlint.analysis.torch_table import DATA_FACTORIES
from devlint.analysis.values import (
    Array,
    Batch,
    Const,
    Items,
    Scalar,
    Source,
    Tensor,
    Unknown,
    Value,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_REDUCTIONS = frozenset("argmax argmin max min median mode kthvalue sum mean prod any all amax amin logsumexp".split())
_SEVERAL = frozenset(
    "max min median mode kthvalue sort topk unique unique_consecutive split chunk unbind nonzero where".split()
)
"""They give a tuple: `x.topk(5)[1]` is a tensor of it, not an element."""


class Store(Enum):
    """How `x[...] = values` writes."""

    COPY = auto()
    """Into a view: a slice, an element."""
    PUT = auto()
    """By positions or a mask."""
    UNSEEN = auto()
    """By something of which nobody knows whether it is a number."""


class Indexes:
    """The subscripts of one run whose tensors are on different devices."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, IndexElsewhere] = {}
        self.stores: dict[cst.CSTNode, StoredElsewhere] = {}
        self._origins: dict[cst.CSTNode, cst.CSTNode] = {}

    def used(self, node: cst.Subscript, owner: Value, indices: Sequence[tuple[cst.BaseExpression, Value]]) -> None:
        """`owner[indices]`, read or written."""
        run = self.run
        if not isinstance(owner, Tensor | Batch) or run.offline or run.owned or node in self.found:
            return
        if not _at_home(owner):
            return
        origin = owner.origin
        there = [(part, value) for part, value in indices if _several_on_device(run, part, value)]
        if not there:
            for part, value in indices:
                if isinstance(value, Tensor) and value.place.on_device and not value.zero_dim:
                    run.meetings.doubts.add(
                        part, f"`{dotted(node.value)}` may be indexed by several positions of a device"
                    )
            return
        if origin is not None and origin.kept is not None and origin.kept.inside:
            first, value = there[0]
            run.meetings.host_met(owner, node.value, node, first, placement_of(value).device)
            return
        made = origin.spot if origin is not None else None
        self.found[node] = IndexElsewhere(run.meetings.site(node), node.value, tuple(part for part, _ in there), made)
        if made is not None:
            self._origins[node] = made.node

    def stored(
        self,
        node: cst.Subscript,
        owner: Value,
        indices: Sequence[tuple[cst.BaseExpression, Value]],
        expression: cst.BaseExpression,
        value: Value,
    ) -> None:
        """`owner[indices] = value`; a batch may be a dict, that takes anything."""
        run = self.run
        if not isinstance(owner, Tensor) or not isinstance(value, Tensor | Batch) or run.offline or run.owned:
            return
        apart = (owner.place.on_device and value.place.on_host) or (_at_home(owner) and value.place.on_device)
        how = _store(node, indices) if apart else Store.COPY
        if how is Store.COPY or (isinstance(value, Tensor) and value.zero_dim):
            return
        sure = how is Store.PUT and (isinstance(value, Batch) or (value.zero_dim is False and not value.element))
        if not sure:
            run.meetings.doubts.add(node, f"`{dotted(node.value)}` is given values of another device")
        elif owner.place.on_device:
            run.meetings.met(node, [(node.value, owner), (expression, value)])
        elif (origin := owner.origin) is not None and origin.kept is not None and origin.kept.inside:
            run.meetings.host_met(owner, node.value, node, expression, value.place.device)
        else:
            made = origin.spot if origin is not None else None
            self.stores[node] = StoredElsewhere(run.meetings.site(node), node.value, expression, made)
            if made is not None:
                self._origins[node] = made.node

    def left(self) -> dict[cst.CSTNode, IndexElsewhere | StoredElsewhere]:
        """Without those whose tensor is to be moved anyway: it meets a device elsewhere, too."""
        elsewhere = self.run.meetings.host
        noted: dict[cst.CSTNode, IndexElsewhere | StoredElsewhere] = {**self.stores, **self.found}
        return {node: fact for node, fact in noted.items() if self._origins.get(node) not in elsewhere}


def _at_home(owner: Tensor | Batch) -> bool:
    """Made on the host, or brought there: no output of a model that was never moved."""
    if owner.place.where is Where.HOME:
        return True
    return owner.place.on_host and owner.origin is not None and owner.origin.source is not Source.OUTPUT


def _store(node: cst.Subscript, indices: Sequence[tuple[cst.BaseExpression, Value]]) -> Store:
    how = Store.COPY
    for part, value in indices:
        match value:
            case Array(maybe_number=False) | Batch() | Tensor(zero_dim=False, element=False):
                return Store.PUT
            case _ if isinstance(part, cst.List | cst.ListComp | cst.Comparison):
                return Store.PUT
            case Unknown() | Items() | Tensor() | Array() if not isinstance(part, cst.Ellipsis):
                how = Store.UNSEEN  # a list of positions, or a tuple of slices
            case _:
                pass
    return how


def _several_on_device(run: Interpreter, node: cst.BaseExpression, value: Value) -> bool:
    """Whether an index is a tensor on a device; one of no dimension is read as a number, wherever it is."""
    match value:
        case Batch():
            return value.place.on_device
        case Tensor(zero_dim=False, element=False):
            return value.place.on_device
        case Tensor(zero_dim=None, element=False) if value.place.on_device:
            return _made_of_list(run, node)
        case _:
            return False


def _made_of_list(run: Interpreter, node: cst.BaseExpression) -> bool:
    """`torch.tensor([0, 2], device=device)`, or a name for it."""
    if isinstance(node, cst.Name) and (bound := run.frame.bound.get(node.value)) is not None:
        node = bound.value or node
    return (
        isinstance(node, cst.Call)
        and dotted(node.func).rpartition(".")[2] in DATA_FACTORIES
        and bool(node.args)
        and isinstance(node.args[0].value, cst.List | cst.ListComp)
    )


def plain_indices(node: cst.Subscript) -> list[cst.BaseExpression]:
    """The parts of a subscript that are no slices."""
    return [element.slice.value for element in node.slice if isinstance(element.slice, cst.Index)]


def takes_one(node: cst.Subscript, indices: Sequence[tuple[cst.BaseExpression, Value]]) -> bool:
    """Whether a subscript may take a single number out of a tensor."""
    if isinstance(node.value, cst.Call) and dotted(node.value.func).rpartition(".")[2] in _SEVERAL:
        return False
    if isinstance(node.value, cst.Call) and isinstance(node.value.func, cst.Attribute):
        if node.value.func.attr.value in _SEVERAL:
            return False
    return len(indices) == len(node.slice) and all(
        isinstance(value, Const | Scalar | Unknown) or (isinstance(value, Tensor) and value.zero_dim is not False)
        for _, value in indices
    )


def may_reduce_to_one(name: str, arguments: Arguments, position: int) -> bool:
    """Whether a reduction along a dimension leaves a number of a vector: not along one that is not the first."""
    from devlint.analysis.calls import keyword_value

    if name not in _REDUCTIONS:
        return False
    along = keyword_value(arguments, "dim", position) or keyword_value(arguments, "axis")
    dimension = literal(along.node) if along is not None else None
    return not (isinstance(dimension, int) and not isinstance(dimension, bool) and dimension >= 1)

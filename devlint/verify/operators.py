"""What the dispatch mode needs to know of an op, worked out once per op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry

_OUT_OF_BOUNDS = frozenset(
    "nll_loss_forward nll_loss2d_forward embedding _embedding_bag index index_put index_put_ _index_put_impl_ "
    "index_select gather scatter scatter_ scatter_add scatter_add_ index_add index_add_ index_copy index_copy_ "
    "index_fill index_fill_ take put_ multi_margin_loss multilabel_margin_loss_forward binary_cross_entropy "
    "multinomial bernoulli one_hot".split()
)
"""Ops whose CUDA kernels check values on the device: a bad index is a device-side assert there, not an IndexError."""

_CPU_ATTENTION = "_scaled_dot_product_flash_attention_for_cpu"


@dataclass(slots=True)
class Operator:
    """`counted`: computes something (no view, no bookkeeping). `random`: draws from a generator.

    `asserts`: checks values on the device. `allocates`: its first argument is the size of a new tensor.
    """

    name: str
    counted: bool
    copies: bool
    random: bool
    has_generator: bool
    asserts: bool
    allocates: bool
    bookkeeping: bool
    flops: Callable[..., int] | None
    flops_by_shape: dict[Any, int] | None

    def count_flops(self, tensors: list[torch.Tensor], args: Any, kwargs: Any, out: Any) -> int:
        """Floating-point operations of one call, by torch's formula; remembered where shapes alone decide."""
        assert self.flops is not None
        if self.flops_by_shape is None:
            return self.flops(*args, **kwargs, out_val=out)
        shapes = tuple([_shape(tensor) for tensor in tensors])
        found = self.flops_by_shape.get(shapes)
        if found is None:
            found = self.flops_by_shape[shapes] = self.flops(*args, **kwargs, out_val=out)
        return found


_shape = torch._C.TensorBase.shape.__get__  # type: ignore[attr-defined]
_BY_SHAPE = frozenset({"mm", "addmm", "bmm", "baddbmm"})


def operator(op: Any) -> Operator:
    """The facts about an overload, from its schema and tags."""
    found = known_operators.get(op)
    if found is None:
        found = known_operators[op] = _describe(op)
    return found


known_operators: dict[Any, Operator] = {}


def _describe(op: Any) -> Operator:
    schema = op._schema
    name: str = op._overloadpacket.__name__
    view = any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)
    flops = flop_registry.get(op._overloadpacket)
    if flops is None and name.startswith(_CPU_ATTENTION):
        flops = flop_registry.get(getattr(torch.ops.aten, name.replace("_for_cpu", "")))
    return Operator(
        name=name,
        counted=not view and name not in _BOOKKEEPING,
        copies=name in ("copy_", "_to_copy", "clone"),
        random=torch.Tag.nondeterministic_seeded in op.tags,
        has_generator=any(argument.name == "generator" for argument in schema.arguments),
        asserts=name in _OUT_OF_BOUNDS,
        allocates=bool(schema.arguments) and schema.arguments[0].name == "size",
        bookkeeping=op.namespace == "profiler",
        flops=flops,
        flops_by_shape={} if name in _BY_SHAPE else None,
    )


_BOOKKEEPING = frozenset(
    "lift_fresh set_ resize_ is_same_size _has_compatible_shallow_copy_type detach "
    "_local_scalar_dense empty empty_like empty_strided new_empty".split()
)
"""Ops that compute nothing: they count neither for nor against the share."""

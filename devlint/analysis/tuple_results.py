"""Operations of torch that give several tensors: `topk`, `sort`, `max` along a dimension, `svd`, `split` ...

All of them are where the operand is. Each entry is the named tuple that the documentation of the function shows:
https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from devlint.analysis.indexes import may_reduce_to_one
from devlint.analysis.values import Batch, Items, Tensor, join_all

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments

_VALUES_AND_INDICES = ("values", "indices")
_KEEPING = frozenset("topk sort cummax cummin".split())
"""Along a dimension that stays."""
_REDUCING = frozenset("kthvalue mode".split())
"""Along a dimension that goes, the last one where none is named."""
_REDUCING_IF_ASKED = frozenset("max min median nanmedian".split())
"""A tuple only where a dimension is named."""
_PARTS: dict[str, tuple[str, ...]] = {
    "svd": ("U", "S", "Vh"),
    "qr": ("Q", "R"),
    "eig": ("eigenvalues", "eigenvectors"),
    "eigh": ("eigenvalues", "eigenvectors"),
    "slogdet": ("sign", "logabsdet"),
    "lstsq": ("solution", "residuals", "rank", "singular_values"),
    "aminmax": ("min", "max"),
    "std_mean": ("std", "mean"),
    "var_mean": ("var", "mean"),
    "frexp": ("mantissa", "exponent"),
}
_SEQUENCES = frozenset("split chunk unbind tensor_split hsplit vsplit dsplit".split())


def several(name: str, operand: Tensor, further: Arguments) -> Items | None:
    """What an operation gives that gives more than one tensor; None for all others.

    operand: the tensor. further: the other arguments, without it.
    """
    operand = replace(operand, parameter=False)
    if name in _KEEPING:
        return _values_and_indices(operand)
    if name in _REDUCING or (name in _REDUCING_IF_ASKED and _names_a_dimension(further)):
        keeps = any(argument.keyword == "keepdim" for argument in further) or len(further) > 1
        reduced = operand if keeps else operand.row()
        one = not keeps and (operand.element or may_reduce_to_one(name, further, 0))
        return _values_and_indices(
            replace(reduced, element=one, zero_dim=reduced.zero_dim if reduced.dims is not None else operand.zero_dim)
        )
    if (names := _PARTS.get(name)) is not None:
        part = replace(operand, dims=None)
        return Items(part, (part,) * len(names), names)
    if name in _SEQUENCES:
        return Items(operand.row() if name == "unbind" else operand)
    return None


def _names_a_dimension(further: Arguments) -> bool:
    """`x.max(1)`, `x.max(dim=1)`; not `x.max(other)`."""
    return bool(further) and not any(isinstance(argument.value, Tensor | Batch) for argument in further)


def _values_and_indices(values: Tensor) -> Items:
    parts = (values, replace(values, grad=False))
    return Items(join_all(parts), parts, _VALUES_AND_INDICES)

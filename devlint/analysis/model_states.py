"""Tensors that a model needs beside its input: hidden states, masks, positions, noise."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.facts import Meets, TensorOnHost
from devlint.analysis.syntax import dotted
from devlint.analysis.torch_table import LIKE, RANDOM_FACTORIES

_ARGUMENTS = frozenset(
    """attn_mask key_padding_mask mask src_mask tgt_mask memory_mask src_key_padding_mask tgt_key_padding_mask
    memory_key_padding_mask attention_mask position_ids positions hx""".split()
)
"""Of the layers of torch.nn and of models like those of transformers."""
_MASKING = frozenset(["masked_fill", "masked_fill_", "masked_select", "masked_scatter", "masked_scatter_"])


def belongs_to_a_model(tensor: TensorOnHost) -> bool:
    """Whether it is made for a model, on every run of it: in a module's method, as a mask, or as noise it is fed."""
    if tensor.is_input and not tensor.origin.in_loop:
        return False
    if tensor.origin.in_module:
        return True
    return all(_masks(one) or (one.fed and _is_noise(tensor.origin.spot.node)) for one in tensor.meets)


def names_of(tensor: TensorOnHost) -> str:
    """The names that the tensors have where they meet something, for a message."""
    parts = (one.part for one in tensor.meets if not isinstance(one.operand, cst.Call) or one.bound is not None)
    return ", ".join(f"`{part}`" for part in dict.fromkeys(parts) if part)


def _masks(one: Meets) -> bool:
    call = one.site.spot.node
    if not isinstance(call, cst.Call):
        return False
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _MASKING:
        return any(arg.value is one.operand for arg in call.args[:2])
    return any(
        arg.value is one.operand and arg.keyword is not None and arg.keyword.value in _ARGUMENTS for arg in call.args
    )


def _is_noise(made: cst.CSTNode) -> bool:
    name = dotted(made.func).rpartition(".")[2] if isinstance(made, cst.Call) else ""
    return name in RANDOM_FACTORIES or (name in LIKE and name.startswith("rand"))

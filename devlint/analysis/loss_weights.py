"""Tensors that weigh the classes, or the samples, of a loss."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.facts import TensorOnHost
from devlint.analysis.syntax import dotted
from devlint.analysis.torch_table import LOSS_FUNCTIONS

_WEIGHTS = frozenset(["weight", "pos_weight"])


def weighs_a_loss(tensor: TensorOnHost) -> bool:
    """Whether all that meets the device is a `weight=` of a loss function."""
    return all(
        isinstance(one.site.spot.node, cst.Call)
        and dotted(one.site.spot.node.func).rpartition(".")[2] in LOSS_FUNCTIONS
        and any(
            arg.value is one.operand and arg.keyword is not None and arg.keyword.value in _WEIGHTS
            for arg in one.site.spot.node.args
        )
        for one in tensor.meets
    )

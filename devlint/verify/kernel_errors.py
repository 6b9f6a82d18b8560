"""Checks that a CUDA kernel makes with a device-side assert, where the host kernel raises a Python error."""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten

ASSERTING = {
    getattr(aten, name)
    for name in [
        "nll_loss_forward",
        "nll_loss2d_forward",
        "embedding",
        "embedding_bag",
        "_embedding_bag",
        "index",
        "index_put",
        "index_put_",
        "_index_put_impl_",
        "gather",
        "scatter",
        "scatter_",
        "scatter_add",
        "scatter_add_",
        "index_select",
        "index_add",
        "index_add_",
        "index_fill",
        "index_fill_",
        "index_copy",
        "index_copy_",
        "take",
        "put",
        "put_",
        "multinomial",
        "binary_cross_entropy",
        "multi_margin_loss",
        "scatter_reduce",
        "scatter_reduce_",
        "bernoulli",
        "bernoulli_",
        "_assert_async",
    ]
    if hasattr(aten, name)
}
TEXTS = (
    "out of bounds",
    "out of range",
    "probability tensor contains",
    "between 0 and 1",
    "invalid multinomial",
    "p_in >= 0",
)
"""What the host kernels say about bad values, as opposed to bad shapes."""


def is_kernel_assert(func: Any, error: Exception) -> bool:
    """Whether this failure of a host kernel would be a device-side assert on CUDA."""
    text = str(error)
    return (
        func._overloadpacket in ASSERTING
        and "dimension out of range" not in text.lower()
        and any(part in text for part in TEXTS)
    )

"""What runs on the simulated accelerator gives bit for bit what it gives on the CPU, for the operators of op_db."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves, tree_map

from devlint.verify.accelerator import simulated_accelerator

pytest.importorskip("expecttest", reason="torch's op_db needs it")

EXPLAINED = {
    "tensor_split": "wants its sections on the host, as on CUDA",
    **dict.fromkeys(
        ("linalg.svdvals", "linalg.cond", "linalg.eigvalsh"),
        "torch computes the vectors as well where a dispatch mode is active (isTensorSubclassLike), by another routine",
    ),
}
LEAST = 400
"""Operators that must have been compared, so that a test that compares nothing cannot pass."""


def _operators() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return [op for op in op_db if torch.float32 in op.dtypes]


def _run(op: Any, sample: Any, device: str) -> list[torch.Tensor]:
    def place(leaf: Any) -> Any:
        return leaf.detach().clone().to(device) if isinstance(leaf, torch.Tensor) else leaf

    kwargs = {key: value for key, value in sample.kwargs.items() if key != "device"}
    first, args, kwargs = tree_map(place, (sample.input, tuple(sample.args), kwargs))
    torch.manual_seed(0)
    leaves = [leaf for leaf in tree_leaves(op.op(first, *args, **kwargs)) if isinstance(leaf, torch.Tensor)]
    return [_numpy_can_hold(leaf.detach().to("cpu").resolve_conj().resolve_neg()) for leaf in leaves]


def _numpy_can_hold(tensor: torch.Tensor) -> torch.Tensor:
    """Types that numpy lacks, as the bytes that they are made of."""
    return tensor.contiguous().view(torch.uint8) if tensor.dtype in (torch.bfloat16, torch.complex32) else tensor


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return one.contiguous().numpy().tobytes() == other.contiguous().numpy().tobytes()


def _is_random(op: Any) -> bool:
    """Operators whose numbers come from a generator or from memory: devices have generators of their own."""
    name = op.name
    return any(
        word in name for word in ("rand", "dropout", "bernoulli", "multinomial", "normal", "empty", "uniform")
    ) or (
        name in {"exponential", "geometric", "cauchy", "log_normal", "nn.functional.rrelu", "new_empty_strided"}
        or "fractional_max_pool" in name
        or "alpha_dropout" in name
        or "scaled_dot_product_attention" in name
    )


def test_results_are_bit_equal_to_the_cpu() -> None:
    compared, different = 0, []
    for op in _operators():
        if _is_random(op):
            continue
        try:
            sample = next(iter(op.sample_inputs("cpu", torch.float32)))
            plain = _run(op, sample, "cpu")
        except Exception:
            continue  # torch cannot run the sample on this build: nothing to compare with
        if any(tensor.layout is not torch.strided or tensor.is_quantized for tensor in plain):
            continue
        with simulated_accelerator():
            try:
                moved = _run(op, sample, "cuda")
            except Exception as error:
                different.append(f"{op.name}: {type(error).__name__}: {error}"[:200])
                continue
        compared += 1
        if len(plain) != len(moved) or not all(map(_same, plain, moved)):
            different.append(op.name)
    assert [name for name in different if name.partition(":")[0] not in EXPLAINED] == []
    assert compared >= LEAST

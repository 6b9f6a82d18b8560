"""Code that is written for CUDA and for nothing else: there a fixed device is no mistake."""

from __future__ import annotations

import re
from pathlib import Path

import libcst as cst

from devlint.analysis.syntax import descendants, dotted, literal

_LIBRARIES = "tensorrt|torch_tensorrt|pycuda|cupy|triton|cutlass|nvidia|flashinfer|deep_gemm"
_IMPORTS = re.compile(
    rf"""^\s*(?:import|from)\s+(?:[\w., ]*,\s*)?(?:{_LIBRARIES})\b(?!\.(?:dali|ml)\b)"""
    rf"""|optional_import\(\s*["'](?:{_LIBRARIES})\b""",
    re.MULTILINE,
)
_BENCHMARK = re.compile(r"/bench(marks?|marking)?/[^/]*$|/(bench(mark)?_[^/]*|[^/]*_bench(mark)?)\.py$")
"""By the folder that holds the file, or its name: folders further up may be anything."""
FOR_ANY_ACCELERATOR = frozenset(
    f"torch.testing._internal.{name}"
    for name in (
        "triton_utils.requires_gpu",
        "triton_utils.requires_gpu_and_triton",
        "inductor_utils.requires_gpu",
        "inductor_utils.requires_triton",
    )
)
"""Decorators of torch's own tests that hold on several accelerators (`HAS_GPU`): a test below one is not CUDA's alone.

https://github.com/pytorch/pytorch/blob/v2.13.0/torch/testing/_internal/triton_utils.py
"""
_HALF = re.compile(r"(^|[._])(fp16|float16|half|use_half|use_fp16|is_fp16)$", re.IGNORECASE)


def is_for_cuda(path: Path, text: str) -> bool:
    """Whether a whole file drives CUDA (TensorRT, Triton, CuPy ...), or measures one card."""
    return _BENCHMARK.search(path.as_posix()) is not None or _IMPORTS.search(text) is not None


def asks_for_cuda(test: cst.BaseExpression) -> bool:
    """Whether a condition holds in practice on CUDA alone: half precision, or the NCCL backend.

    Half precision: for years torch had most of its float16 kernels for CUDA only.
    """
    if type(test) is cst.Name or type(test) is cst.Attribute:
        return _HALF.search(dotted(test)) is not None
    match test:
        case cst.BooleanOperation(operator=cst.And(), left=left, right=right):
            return asks_for_cuda(left) or asks_for_cuda(right)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
            if not isinstance(operator, cst.Equal | cst.Is | cst.In):
                return False
            return any(_HALF.search(dotted(side)) or _is_for_cuda(literal(side)) for side in (left, right))
        case _:
            return False


def _is_for_cuda(value: object) -> bool:
    """The NCCL backend, half precision, or the name of a tensor type such as `torch.cuda.HalfTensor`."""
    return isinstance(value, str) and (value in {"nccl", "fp16", "float16"} or value.startswith("torch.cuda."))


def default_of(test: cst.BaseExpression) -> str:
    """The name that a condition finds unset: `device` for `if device is None` and for `if not device`; else empty."""
    match test:
        case cst.Comparison(
            left=cst.Name(value=name),
            comparisons=[cst.ComparisonTarget(operator=cst.Is() | cst.Equal(), comparator=cst.Name(value="None"))],
        ):
            return name
        case cst.UnaryOperation(operator=cst.Not(), expression=cst.Name(value=name)):
            return name
        case _:
            return ""


def sets(statement: cst.CSTNode | None, name: str) -> bool:
    """Whether a statement assigns to the name."""
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(small, cst.Assign)
        and any(isinstance(target.target, cst.Name) and target.target.value == name for target in small.targets)
        for small in descendants(statement)
    )

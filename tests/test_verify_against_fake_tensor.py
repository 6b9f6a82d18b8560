"""The simulator and torch's own FakeTensorMode agree on devices, for the operators of torch's op_db.

For each operator, its first float32 sample: all tensors on the device, then each tensor in turn on the host.
Compared are the devices of the results, or that the mixture is refused. FakeTensorMode lets any 0-dim host
tensor pass, and cannot run some operators; what differs for another reason is listed below, with the reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map

from devlint.verify.accelerator import simulated_accelerator

pytest.importorskip("expecttest", reason="torch's op_db needs it")

EXPLAINED = {
    **{
        f"nn.functional.conv{kind}{n}d": "FakeTensorMode skips the check of Convolution.cpp"
        for kind in ("", "_transpose")
        for n in (1, 2, 3)
    },
    "select_scatter": "FakeTensorMode decomposes it; the kernel copies, from any device (TensorShape.cpp)",
    "as_strided_scatter": "as select_scatter",
    "native_dropout_backward": "FakeTensorMode lets the mask pass, the dispatcher's check for CUDA does not",
}
CANNOT = (
    "DataDependent",
    "DynamicOutput",
    "not linked with support",
    "has no __torch_dispatch__",
    "Could not run",
)


def operators() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return [op for op in op_db if torch.float32 in op.dtypes]


def arranged(sample: Any, place: Callable[[torch.Tensor, int], torch.Tensor]) -> tuple[Any, Any, Any]:
    """The sample's arguments with each tensor replaced; a `device=` argument is left out."""
    count = iter(range(1000))
    tree = (sample.input, tuple(sample.args), {k: v for k, v in sample.kwargs.items() if k != "device"})
    replaced: tuple[Any, Any, Any] = tree_map(
        lambda leaf: place(leaf, next(count)) if isinstance(leaf, torch.Tensor) else leaf, tree
    )
    return replaced


def outcome(run: Callable[[], Any]) -> str:
    """The devices of the results; "refused" for a mixture; "cannot" for what has nothing to do with
    devices.
    """
    try:
        result = run()
    except Exception as error:
        text = f"{type(error).__name__} {error}"
        if any(part in text for part in CANNOT):
            return "cannot"
        return "refused" if "device" in text.lower() or "should be the same" in text else "cannot"
    return " ".join(str(leaf.device) for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor))


def in_fake_mode(op: Any, sample: Any, host: set[int]) -> str:
    def place(tensor: torch.Tensor, index: int) -> torch.Tensor:
        device = "cpu" if index in host else "cuda:0"
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)

    def run() -> Any:
        with FakeTensorMode(allow_non_fake_inputs=True):
            first, args, kwargs = arranged(sample, place)
            return op.op(first, *args, **kwargs)

    return outcome(run)


def in_simulation(op: Any, sample: Any, host: set[int]) -> str:
    def place(tensor: torch.Tensor, index: int) -> torch.Tensor:
        copy = tensor.detach().clone()
        return copy if index in host else copy.to("cuda")

    def run() -> Any:
        first, args, kwargs = arranged(sample, place)
        return op.op(first, *args, **kwargs)

    with simulated_accelerator():
        return outcome(run)


def comparisons(op: Any) -> Iterator[tuple[str, str, bool]]:
    sample = next(iter(op.sample_inputs("cpu", torch.float32)))
    tensors = [
        leaf for leaf in tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(leaf, torch.Tensor)
    ]
    if any(tensor.layout is not torch.strided for tensor in tensors):
        return
    yield in_fake_mode(op, sample, set()), in_simulation(op, sample, set()), False
    if len(tensors) > 1:
        for index in range(len(tensors)):
            lenient = any(tensor.dim() == 0 for tensor in tensors)
            yield in_fake_mode(op, sample, {index}), in_simulation(op, sample, {index}), lenient


def test_devices_and_verdicts_agree() -> None:
    agreed, differing = set(), {}
    for op in operators():
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        try:
            found = list(comparisons(op))
        except (StopIteration, NotImplementedError):
            continue
        usable = [
            (fake, sim) for fake, sim, lenient in found if fake != "cannot" and not (lenient and sim == "refused")
        ]
        if usable and all(fake == sim for fake, sim in usable):
            agreed.add(name)
        elif usable:
            differing[name] = found
    assert {name: found for name, found in differing.items() if name not in EXPLAINED} == {}
    assert EXPLAINED.keys() - differing.keys() == set(), "no longer so"
    assert len(agreed) >= 400, len(agreed)

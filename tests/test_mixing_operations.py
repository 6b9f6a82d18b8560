"""Every operation of the table `MIXING` is asked of torch: on one device it runs, on two it raises."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from devlint.analysis import torch_table as table  # noqa: E402

UNTRIED = frozenset(
    # no operands of the kinds below suit them, or fake tensors cannot run them
    "addbmm baddbmm bmm einsum equal allclose masked_select masked_fill masked_fill_".split()
)
"""Operations of the table that this test does not reach."""


def operands(device: str) -> dict[str, Any]:
    return {
        "vector": torch.rand(3, device=device),
        "matrix": torch.rand(3, 3, device=device),
        "mask": torch.rand(3, device=device) > 0.5,
        "positions": torch.zeros(3, dtype=torch.long, device=device),
        "whole": torch.ones(3, 3, dtype=torch.long, device=device),
    }


def calls(name: str) -> Iterator[Callable[[list[Any]], Any]]:
    """The ways to call an operation with a list of tensors."""
    function = getattr(torch, name, None) or getattr(torch.special, name, None)
    if function is not None:
        yield lambda tensors: function(*tensors)
        yield lambda tensors: function(tensors)
        yield lambda tensors: function(tensors[0], 0, *tensors[1:])
    method = getattr(torch.Tensor, name, None)
    if method is not None:
        yield lambda tensors: method(*tensors)
        yield lambda tensors: method(tensors[0], 0, *tensors[1:])


def shapes() -> Iterator[tuple[str, ...]]:
    kinds = ("vector", "matrix", "mask", "positions", "whole")
    yield from itertools.product(kinds, repeat=2)
    yield from itertools.product(("vector", "matrix", "whole"), kinds, kinds)


def runs(call: Callable[[list[Any]], Any], tensors: list[Any]) -> bool:
    try:
        call(tensors)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, AssertionError):
        return False
    return True


@pytest.fixture(autouse=True)
def fake() -> Iterator[None]:
    logging.disable(logging.ERROR)
    try:
        with FakeTensorMode():
            yield
    finally:
        logging.disable(logging.NOTSET)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(table.MIXING))
def test_operands_of_two_devices_are_refused(name: str) -> None:
    there, here = operands("cuda"), operands("cpu")
    tried = 0
    for call, kinds in itertools.product(calls(name), shapes()):
        together = [there[kind] for kind in kinds]
        if not runs(call, together):
            continue
        tried += 1
        assert not runs(call, [*together[:-1], here[kinds[-1]]]), (name, kinds)
        if tried == 3:
            break
    assert bool(tried) is (name not in UNTRIED), f"{name} was tried {tried} times"

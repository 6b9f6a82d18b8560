"""Gradients on the simulated accelerator are where torch's engine wants them, or are brought there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from devlint.verify import simulated_accelerator  # noqa: E402


@pytest.fixture(autouse=True)
def accelerator() -> Iterator[None]:
    with simulated_accelerator():
        yield


def test_a_number_given_to_backward_is_brought_to_its_output() -> None:
    weight = torch.ones(3, device="cuda", requires_grad=True)
    (weight * 2).mean().backward(torch.tensor(3.0))
    assert weight.grad.device.type == "cuda"
    assert weight.grad.tolist() == [2.0, 2.0, 2.0]


def test_gradients_of_a_host_vector_are_refused() -> None:
    weight = torch.ones(2, device="cuda", requires_grad=True)
    said = "^invalid gradient at index 0 - expected device cuda:0 but got cpu$"
    with pytest.raises(RuntimeError, match=said):
        (weight * 2).backward(torch.ones(2))
    with pytest.raises(RuntimeError, match=said):
        torch.autograd.grad(weight * 2, weight, grad_outputs=torch.ones(2))


def test_the_gradient_of_a_number_of_the_host_comes_home() -> None:
    rate = torch.zeros((), requires_grad=True)
    weight = torch.ones(3, device="cuda", requires_grad=True)
    (weight * rate.exp()).sum().backward()
    assert rate.grad.device.type == "cpu"
    assert rate.grad.item() == 3.0


@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_custom_function_may_return_only_a_number_from_the_host(shape: tuple[int, ...]) -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return torch.full(shape, 2.0)

    weight = torch.ones(shape, device="cuda", requires_grad=True)
    loss = Doubled.apply(weight).sum()
    if shape:
        with pytest.raises(RuntimeError, match="Function DoubledBackward returned an invalid gradient at index 0"):
            loss.backward()
    else:
        loss.backward()
        assert weight.grad.device.type == "cuda"
        assert weight.grad.item() == 2.0

"""The autograd engine's check that a gradient is where its tensor is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.machine import Machine, fail, tensors_in
from devlint.verify.moves import ToCopyBackward0
from devlint.verify.patches import Patches


def install(machine: Machine, patches: Patches) -> None:
    engine = torch.autograd.graph._engine_run_backward

    def run_backward(outputs: Sequence[Any], grads: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        for index, (output, grad) in enumerate(zip(outputs, grads, strict=False)):
            if isinstance(output, torch.Tensor) and isinstance(grad, torch.Tensor):
                _check(machine, machine.ledger.device_of(output), grad, index, "")
        return engine(outputs, grads, *args, **kwargs)

    patches.set(torch.autograd.graph, "_engine_run_backward", run_backward)
    patches.set(torch.autograd, "_engine_run_backward", run_backward)
    patches.set(torch.autograd.Function, "apply", classmethod(_checked_apply(machine)))


def _checked_apply(machine: Machine) -> Any:
    """`Function.apply` whose backward is held to the devices of its inputs."""
    real = torch.autograd.Function.apply.__func__  # type: ignore[attr-defined]

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        out = real(cls, *args, **kwargs)
        if cls is ToCopyBackward0 or not torch.is_grad_enabled():
            return out
        node = next((t.grad_fn for t in tensors_in(out) if t.grad_fn is not None), None)
        if node is None or torch._C._functorch.maybe_current_level() is not None:
            return out
        wanted = [machine.ledger.device_of(a) if isinstance(a, torch.Tensor) else None for a in args]
        name = f"Function {type(node).__name__} returned an "

        def compare(grad_inputs: Any, grad_outputs: Any) -> None:
            for index, (device, grad) in enumerate(zip(wanted, grad_inputs, strict=False)):
                if device is not None and isinstance(grad, torch.Tensor):
                    _check(machine, device, grad, index, name)

        node.register_hook(compare)
        return out

    return apply


def _check(machine: Machine, wanted: torch.device, grad: torch.Tensor, index: int, function: str) -> None:
    found = machine.ledger.device_of(grad)
    if found is not wanted:
        fail(messages.GRADIENT.format(function=function, index=index, wanted=wanted, found=found))

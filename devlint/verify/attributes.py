"""Questions about a tensor's device, and attributes that a device changes."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.interception import intercepts
from devlint.verify.ledger import HOST
from devlint.verify.machine import Machine, fail

T = torch.Tensor


@intercepts(T.device.__get__)  # type: ignore[attr-defined]
def device(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
    return machine.ledger.device_of(args[0])


@intercepts(T.is_cuda.__get__)  # type: ignore[attr-defined]
def is_cuda(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return machine.ledger.device_of(args[0]).type == "cuda"


@intercepts(T.is_cpu.__get__)  # type: ignore[attr-defined]
def is_cpu(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return machine.ledger.device_of(args[0]) is HOST


@intercepts(T.get_device, torch.get_device)
def get_device(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    device = machine.ledger.device_of(args[0])
    return -1 if device.index is None else device.index


@intercepts(T.grad.__set__)  # type: ignore[attr-defined]
def set_grad(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensor, grad = args
    if isinstance(grad, T) and machine.ledger.device_of(grad) is not machine.ledger.device_of(tensor):
        fail(messages.ASSIGNED_GRADIENT)
    return func(*args)


@intercepts(T.__dlpack_device__)
def dlpack_device(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """(device type, ordinal): kDLCPU is 1, kDLCUDA is 2 (dlpack.h)."""
    device = machine.ledger.device_of(args[0])
    return (2, device.index) if device.type == "cuda" else func(*args, **kwargs)


@intercepts(torch.device)
def make_device(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
    """`torch.device(1)` is a device of the accelerator; a CPU build has none to number."""
    if len(args) == 1 and not kwargs and isinstance(args[0], int):
        return torch.device("cuda", args[0])
    return func(*args, **kwargs)  # type: ignore[no-any-return]

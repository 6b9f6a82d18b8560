"""Ways out of torch: numpy, Python numbers, and functions that only run on host memory."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.interception import intercepts
from devlint.verify.ledger import HOST, size_in_bytes
from devlint.verify.machine import Machine, fail
from devlint.verify.moves import move
from devlint.verify.places import user_place

T = torch.Tensor


@intercepts(T.numpy)
def numpy(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensor = args[0]
    device = machine.ledger.device_of(tensor)
    if device.type != "cuda":
        return func(*args, **kwargs)
    if not kwargs.get("force"):
        fail(messages.NUMPY.format(device=device), TypeError)
    return func(move(machine, tensor.detach(), HOST), force=True)


@intercepts(T.item, T.__float__, T.__int__, T.__bool__, T.__index__, T.__complex__, T.tolist)
def to_number(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Waits for the device and brings the value home: a transfer, however small."""
    tensor = args[0]
    device = machine.ledger.device_of(tensor)
    if device.type == "cuda":
        machine.ledger.record.transfer(user_place(), device, HOST, size_in_bytes(tensor))
    return func(*args, **kwargs)


@intercepts(T.apply_, T.map_, T.map2_)
def host_only(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if any(isinstance(a, T) and machine.ledger.device_of(a) is not HOST for a in args):
        fail(messages.APPLY.format(name=func.__name__), TypeError)
    return func(*args, **kwargs)

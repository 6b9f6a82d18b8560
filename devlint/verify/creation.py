"""Functions that make tensors: where the new tensor lives, and CUDA's complaints about it."""

from __future__ import annotations

from typing import Any

import torch
import torch.utils._device

from devlint.verify import messages
from devlint.verify.interception import intercepts, named
from devlint.verify.ledger import HOST
from devlint.verify.machine import Machine, fail, tensors_in

T = torch.Tensor

_CONSTRUCTORS = set(torch.utils._device._device_constructors()) | {torch.normal, torch.from_file, torch.complex}
_KEEPING = {torch.as_tensor, torch.asarray}
_LIKE = set(
    named(torch, "zeros_like ones_like empty_like full_like rand_like randn_like randint_like")
) | set(named(T, "new_zeros new_ones new_empty new_full new_tensor new_empty_strided new"))
_WITH_TENSORS = {
    torch.sparse_coo_tensor,
    torch.sparse_csr_tensor,
    torch.sparse_csc_tensor,
    torch.sparse_bsr_tensor,
    torch.sparse_bsc_tensor,
    torch.sparse_compressed_tensor,
    torch.normal,
    torch.complex,
}


@intercepts(*_CONSTRUCTORS, *_LIKE)
def create(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    kwargs = dict(kwargs)
    target = _target(machine, func, args, kwargs)
    if target.type not in ("cpu", "cuda"):
        return func(*args, **{**kwargs, "device": target})
    pinned = kwargs.pop("pin_memory", False)
    if pinned and target is not HOST:
        fail("Only dense CPU tensors can be pinned")
    if func in _KEEPING and args and isinstance(args[0], T):
        return _kept(machine, func, args, kwargs, target)
    if func in _WITH_TENSORS:
        _check_parts(machine, func, args, kwargs)
    if func in _TAKES_DEVICE:
        kwargs["device"] = "cpu"
    with machine.making(target):
        out = func(*args, **kwargs)
    for made in tensors_in(out):
        if kwargs.get("out") is None:
            machine.ledger.put(made, target)
        if pinned and (row := machine.ledger.row(made)) is not None:
            row.pinned = True
    return out


_TAKES_DEVICE = (_CONSTRUCTORS | _LIKE) - {torch.normal, torch.from_file, torch.complex, T.new}


def _target(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
    """The device asked for; else that of the tensor it is made like; else the default."""
    asked = machine.device(kwargs.pop("device", None))
    out = kwargs.get("out")
    if asked is not None:
        return asked
    if isinstance(out, T):
        return machine.ledger.device_of(out)
    if func in _LIKE:
        return machine.ledger.device_of(args[0] if args else kwargs["input"])
    if func in _WITH_TENSORS:
        devices = [machine.ledger.device_of(t) for t in tensors_in(args, kwargs)]
        return next((d for d in devices if d is not HOST), devices[0] if devices else machine.default_device())
    if func in _KEEPING or func is torch.tensor:
        data = args[0] if args else kwargs.get("data", kwargs.get("obj"))
        if isinstance(data, T):
            return machine.ledger.device_of(data)
    if func not in _CONSTRUCTORS:
        return machine.default_type_device or HOST
    return machine.default_device()


def _kept(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], target: torch.device) -> Any:
    """`as_tensor` and `asarray` of a tensor: the tensor itself where type and device agree already."""
    from devlint.verify.moves import move

    source = args[0]
    same = machine.ledger.device_of(source) is target
    if same:
        with machine.making(target):
            return func(*args, **kwargs)
    copy = kwargs.pop("copy", None)
    if copy is False:
        raise ValueError("cannot move the tensor to another device without a copy")
    return move(machine, func(*args, **kwargs), target)


def _check_parts(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    found = list(tensors_in(args, kwargs))
    devices = [machine.ledger.device_of(t) for t in found]
    if len(set(devices)) < 2 or any(t.dim() == 0 for t in found):
        return
    if "sparse" in getattr(func, "__name__", ""):
        fail(messages.SPARSE.format(indices=devices[0], values=devices[-1]))
    fail(messages.TWO_DEVICES.format(first=next(d for d in devices if d is not HOST), second=HOST))


@intercepts(torch.from_numpy, torch.frombuffer)
def from_host_memory(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Memory of the host stays on the host, whatever the default device is."""
    with machine.making(HOST):
        return func(*args, **kwargs)

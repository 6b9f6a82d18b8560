"""Functions that create tensors: where the result goes, and which generator may fill it."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.ledger import bytes_of
from devlint.verify.machine import CPU
from devlint.verify.moves import moved
from devlint.verify.places import user_place
from devlint.verify.random_streams import check_generator
from devlint.verify.simulation import Simulation, tensors_in

T = torch.Tensor

FACTORIES = [
    "zeros",
    "ones",
    "empty",
    "full",
    "rand",
    "randn",
    "randint",
    "randperm",
    "arange",
    "range",
    "linspace",
    "logspace",
    "eye",
    "scalar_tensor",
    "empty_strided",
    "empty_permuted",
    "tril_indices",
    "triu_indices",
    "hann_window",
    "hamming_window",
    "bartlett_window",
    "blackman_window",
    "kaiser_window",
    "from_file",
    "normal",
]
SPARSE = {
    "sparse_coo_tensor": 2,
    "sparse_csr_tensor": 3,
    "sparse_csc_tensor": 3,
    "sparse_bsr_tensor": 3,
    "sparse_bsc_tensor": 3,
    "sparse_compressed_tensor": 3,
}
"""How many of their arguments are data; the last of these are the values."""
LIKE = ["zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like"]
NEW = ["new_zeros", "new_ones", "new_empty", "new_full", "new_empty_strided"]
OF_DATA = ["tensor", "as_tensor", "asarray"]
HOST = ["from_numpy", "frombuffer", "from_dlpack"]
"""Make host tensors whatever the default device is."""


def default_device(sim: Simulation) -> torch.device:
    """Where a factory without `device=` puts its result: the innermost `with torch.device(...)`, or the
    default set.
    """
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._device import DeviceContext

    for mode in reversed(_get_current_function_mode_stack()):  # type: ignore[no-untyped-call]
        if isinstance(mode, DeviceContext):
            return sim.machine.canonical(mode.device) or CPU
    return sim.default_tensor_device if sim.default_tensor_device is CPU else sim.machine.canonical("cuda") or CPU


def create(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.zeros` and its like: on the device asked for, else on the default one."""
    target = sim.machine.canonical(kwargs.get("device"))
    if target is None:
        target = _of_operands(sim, func, args, kwargs) or default_device(sim)
    return _made(sim, func, args, kwargs, target)


def _of_operands(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device | None:
    if func.__name__ in ("normal", "linspace", "logspace", "full", "randint"):
        for tensor in tensors_in(args, {k: v for k, v in kwargs.items() if k != "out"}):
            if tensor.dim() or func.__name__ == "normal":
                return sim.ledger.device(tensor)
    out = kwargs.get("out")
    return None if out is None else sim.ledger.device(out)


def create_like(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`zeros_like`, `new_zeros` and their like: beside the tensor they are given, unless told otherwise."""
    target = sim.machine.canonical(kwargs.get("device"))
    if target is None:
        tensor = args[0] if args else kwargs["input"]
        target = sim.ledger.device(tensor)
    return _made(sim, func, args, kwargs, target)


def _made(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], target: torch.device) -> Any:
    if target.type not in ("cpu", "cuda"):
        return func(*args, **{**kwargs, "device": target})
    if (generator := kwargs.get("generator")) is not None:
        check_generator(generator, target, permutation=func is torch.randperm)
    if target.type == "cuda" and kwargs.get("pin_memory"):
        raise RuntimeError("Only dense CPU tensors can be pinned")
    if kwargs.get("out") is not None or (func.__name__ == "normal" and "device" not in kwargs):
        options = {name: value for name, value in kwargs.items() if name != "device"}
    else:
        options = {**kwargs, "device": target}
    sim.nesting.calls.append(target)
    try:
        return func(*args, **options)
    finally:
        sim.nesting.calls.pop()


def of_data(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.tensor`, `torch.as_tensor`, `torch.asarray`: data read on the host, then moved; a tensor
    stays where it is.
    """
    data = args[0] if args else kwargs.get("data", kwargs.get("obj"))
    target = sim.machine.canonical(kwargs.get("device"))
    if target is None:
        target = sim.ledger.device(data) if isinstance(data, T) else default_device(sim)
    if target.type not in ("cpu", "cuda"):
        return func(*args, **kwargs)
    if isinstance(data, T) and func.__name__ != "tensor":
        copies = bool(kwargs.get("copy"))
        dtype = kwargs.get("dtype")
        tensor = data if dtype in (None, data.dtype) else data.to(dtype)
        return moved(sim, tensor, target, copy=copies)
    options = {**kwargs, "device": "cpu"}
    sim.nesting.calls.append(CPU)
    try:
        made = func(*args, **options)
    finally:
        sim.nesting.calls.pop()
    return placed(sim, made, target)


def create_sparse(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.sparse_coo_tensor` and its like: indices and values on one device, both moved where one is
    named.
    """
    parts = SPARSE[func.__name__]
    data = list(args[:parts])
    target = sim.machine.canonical(kwargs.get("device"))
    if target is not None:
        data = [moved(sim, part, target) if isinstance(part, T) else part for part in data]
    elif tensors := [part for part in data if isinstance(part, T)]:
        homes = [sim.ledger.device(part) for part in tensors]
        target = homes[-1]
        if homes[0] != target:
            raise RuntimeError(messages.SPARSE.format(homes[0], target))
    else:
        target = default_device(sim)
    sim.nesting.calls.append(target)
    try:
        out = func(*data, *args[parts:], **{**kwargs, "device": "cpu"})
    finally:
        sim.nesting.calls.pop()
    sim.ledger.put(out, target, user_place())
    return out


def new_tensor(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.new_tensor`, `Tensor.new`: the data on the tensor's device."""
    target = sim.machine.canonical(kwargs.get("device")) or sim.ledger.device(args[0])
    if target.type not in ("cpu", "cuda"):
        return func(*args, **kwargs)
    options = {**kwargs, "device": "cpu"} if "device" in kwargs or func.__name__ == "new_tensor" else kwargs
    if args[0].layout is not torch.strided:  # made of the indices and values that it is given, without a copy
        sim.nesting.calls.append(target)
        try:
            out = func(*args, **options)
        finally:
            sim.nesting.calls.pop()
        sim.ledger.put(out, target, user_place())
        return out
    sim.nesting.calls.append(CPU)
    try:
        made = func(*args, **options)
    finally:
        sim.nesting.calls.pop()
    return placed(sim, made, target)


def on_the_host(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Host memory seen as a tensor."""
    return func(*args, **kwargs)


def placed(sim: Simulation, made: Any, target: torch.device) -> Any:
    """A fresh host tensor declared to be on the target; a view of the program's own memory is copied
    first.
    """
    if target is CPU:
        sim.ledger.put(made, CPU, user_place())
        return made
    needs = made.requires_grad
    out = made.detach().clone() if not needs else made.detach().clone().requires_grad_()
    sim.ledger.put(out, target, user_place())
    sim.ledger.transfer(user_place(), CPU, target, bytes_of(out), "creation from host data")
    return out

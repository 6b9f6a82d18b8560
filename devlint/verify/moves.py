"""Moves between devices: `.to`, `.cuda`, `.cpu`, `.type`, `.type_as`, and pinned memory."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.interception import intercepts, named
from devlint.verify.ledger import HOST, size_in_bytes
from devlint.verify.machine import Machine, fail
from devlint.verify.places import user_place

T = torch.Tensor


class ToCopyBackward0(torch.autograd.Function):
    """A copy to another device; its gradient goes back to where the tensor came from."""

    generate_vmap_rule = True

    @staticmethod
    def forward(tensor: T, machine: Machine, source: torch.device, target: torch.device) -> T:
        return _copied(machine, tensor, target)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, ctx.machine, ctx.source, ctx.target = inputs

    @staticmethod
    def backward(ctx: Any, *grads: T) -> Any:
        return move(ctx.machine, grads[0], ctx.source), None, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> T:
        return move(ctx.machine, tangents[0], ctx.target)


ToCopyBackward0.__module__ = "torch.autograd"


def move(machine: Machine, tensor: T, target: torch.device, *, copy: bool = False) -> T:
    """The tensor on `target`: itself where it is there already, else a copy that aliases nothing."""
    source = machine.ledger.device_of(tensor)
    if source is target and not copy:
        return tensor
    if source is not target and source.type == "cuda":
        machine.initialise()
    if torch.is_grad_enabled() and tensor.requires_grad or torch._C._functorch.maybe_current_level() is not None:
        return ToCopyBackward0.apply(tensor, machine, source, target)  # type: ignore[no-untyped-call, no-any-return]
    return _copied(machine, tensor, target)


def _copied(machine: Machine, tensor: T, target: torch.device) -> T:
    source = machine.ledger.device_of(tensor)
    thread = machine.thread
    before, thread.destination = thread.destination, target
    try:
        with torch._C.DisableTorchFunctionSubclass():  # parameters of lazy modules refuse to be cloned
            strided = tensor.layout is torch.strided
            out = tensor.clone(memory_format=torch.preserve_format) if strided else tensor.clone()
    finally:
        thread.destination = before
    machine.ledger.put(out, target, moved=True)
    if source is not target:
        machine.ledger.record.transfer(user_place(), source, target, size_in_bytes(tensor))
    return out


@intercepts(T.to)
def to(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    """`to(device, dtype)`, `to(dtype)`, `to(other)`, each with non_blocking, copy and memory_format."""
    tensor, rest = args[0], list(args[1:])
    kwargs = dict(kwargs)
    device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
    other = kwargs.pop("other", None)
    match rest:
        case [T() as other, *rest]:
            pass
        case [torch.dtype() as dtype, *rest]:
            pass
        case [None | str() | torch.device() | int() as device, torch.dtype() as dtype, *rest]:
            pass
        case [None | str() | torch.device() | int() as device, None, *rest]:
            pass
        case [None | str() | torch.device() | int() as device, *rest] if not isinstance(device, bool):
            pass
    if other is not None:
        device, dtype = machine.ledger.device_of(other), other.dtype
    copy = kwargs.get("copy", rest[1] if len(rest) > 1 else False)
    return converted(machine, tensor, device, dtype, copy=copy, memory_format=kwargs.get("memory_format"))


def converted(
    machine: Machine,
    tensor: T,
    device: Any,
    dtype: torch.dtype | None,
    *,
    copy: bool = False,
    memory_format: torch.memory_format | None = None,
) -> T:
    """The tensor with another type, layout and device; the tensor itself where nothing changes."""
    target = machine.device(device)
    if target is not None and target.type not in ("cpu", "cuda") or tensor.is_meta:
        _refuse_meta(tensor, target)
        return torch._C.TensorBase.to(tensor, device=target, dtype=dtype or tensor.dtype, copy=copy)  # type: ignore[call-overload, no-any-return]
    layout = {} if memory_format is None else {"memory_format": memory_format}
    with machine.making(machine.ledger.device_of(tensor)):
        out: T = torch._C.TensorBase.to(tensor, dtype or tensor.dtype, **layout)  # type: ignore[call-overload]
    return move(machine, out, target or machine.ledger.device_of(tensor), copy=copy and out is tensor)


def _refuse_meta(tensor: T, target: torch.device | None) -> None:
    if tensor.is_meta and target is not None and target.type != "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


@intercepts(T.cuda)
def cuda(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    device = args[1] if len(args) > 1 else kwargs.get("device")
    target = machine.device("cuda" if device is None else device)
    if target is None or target.type != "cuda":
        fail(messages.NOT_CUDA)
    _refuse_meta(args[0], target)
    return move(machine, args[0], target)


@intercepts(T.cpu)
def cpu(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    return converted(machine, args[0], HOST, None, memory_format=kwargs.get("memory_format"))


@intercepts(T.type)
def type_(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """With an argument a conversion, without one the name of the type."""
    tensor = args[0]
    wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
    if wanted is None:
        name = func(tensor)
        return name.replace("torch.", "torch.cuda.", 1) if machine.ledger.device_of(tensor).type == "cuda" else name
    if isinstance(wanted, torch.dtype):
        return converted(machine, tensor, None, wanted)
    name = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
    on_device = name.startswith("torch.cuda.")
    dtype = torch.empty(0, device="cpu").type(name.replace("torch.cuda.", "torch.")).dtype
    return converted(machine, tensor, "cuda" if on_device else HOST, dtype)


@intercepts(T.type_as)
def type_as(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    other = args[1] if len(args) > 1 else kwargs["other"]
    return converted(machine, args[0], machine.ledger.device_of(other), other.dtype)


@intercepts(T.pin_memory)
def pin_memory(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    tensor = args[0]
    if machine.ledger.device_of(tensor) is not HOST or tensor.layout is not torch.strided:
        fail(messages.PIN.format(type=type_(machine, T.type, (tensor,), {})))
    if is_pinned(machine, func, args, kwargs):
        return tensor  # type: ignore[no-any-return]
    out: T = tensor.clone(memory_format=torch.preserve_format)
    machine.ledger.put(out, HOST)
    row = machine.ledger.row(out)
    assert row is not None
    row.pinned = True
    return out


@intercepts(*named(T, "is_pinned"))
def is_pinned(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    row = machine.ledger.row(args[0])
    return row is not None and row.pinned and row.device is HOST


@intercepts(T.record_stream)
def record_stream(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Nothing runs asynchronously here, so no memory is reused too early."""

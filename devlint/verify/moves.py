"""Moving a tensor: `.to`, `.cuda`, `.cpu`, `.type`, `type_as`, pinning. A move copies; its gradient
moves back.
"""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.machine import CPU
from devlint.verify.placement_rules import type_name
from devlint.verify.places import user_place
from devlint.verify.simulation import Simulation

aten = torch.ops.aten


class ToCopy(torch.autograd.Function):
    """A copy on another device. The dispatch mode carries the move out when it sees the operator."""

    generate_vmap_rule = True

    @staticmethod
    def forward(sim: Simulation, tensor: Any, source: torch.device, target: torch.device) -> Any:
        sim.nesting.calls.append(target)
        try:
            return aten._to_copy.default(tensor, device=target)
        finally:
            sim.nesting.calls.pop()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.sim, _, ctx.source, ctx.target = inputs

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, _copied(ctx.sim, grad, ctx.target, ctx.source), None, None

    @staticmethod
    def jvp(ctx: Any, _: Any, tangent: Any, *others: Any) -> Any:
        return _copied(ctx.sim, tangent, ctx.source, ctx.target)


_copied: Any = ToCopy.apply
ToCopy._backward_cls.__name__ = "ToCopyBackward0"


def moved(sim: Simulation, tensor: Any, target: torch.device, copy: bool = False) -> Any:
    """The tensor on the target device; the same object if it is there already."""
    source = sim.ledger.device(tensor)
    if source == target and not copy:
        return tensor
    if source.type == "meta" and target.type != "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if target.type == "meta":
        return torch.Tensor.to(tensor, "meta")
    if target.type not in ("cpu", "cuda"):
        return torch.Tensor.to(tensor, target)
    return _copied(sim, tensor, source, target)


def to(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.to` in all its forms."""
    tensor, wanted = args[0], parsed(args[1:], kwargs)
    other = wanted.pop("other", None)
    if other is not None:
        device: Any = sim.ledger.device(other)
        wanted["dtype"] = other.dtype
    else:
        device = wanted.pop("device", None)
    target = sim.machine.canonical(device)
    wanted.pop("device", None)
    dtype = wanted.pop("dtype", None)
    layout_changes = wanted.get("memory_format") not in (None, torch.preserve_format)
    if tensor.is_meta or (target is not None and target.type not in ("cpu", "cuda")):
        return (
            torch.Tensor.to(tensor, target, dtype, **wanted)
            if target == torch.device("meta") or target is None
            else _out_of_meta()
        )
    changes_type = dtype is not None and dtype != tensor.dtype
    elsewhere = target is not None and target != sim.ledger.device(tensor)
    here = {name: value for name, value in wanted.items() if name != "non_blocking"}
    if elsewhere:
        here.pop("copy", None)
    if changes_type or layout_changes or here.get("copy"):
        tensor = func(tensor, dtype or tensor.dtype, **here)
    return moved(sim, tensor, target) if elsewhere and target is not None else tensor


def _out_of_meta() -> Any:
    raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def parsed(rest: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Tensor.to` by name."""
    wanted = dict(kwargs)
    values = list(rest)
    if values and isinstance(values[0], torch.Tensor):
        wanted["other"] = values.pop(0)
    elif values and not isinstance(values[0], torch.dtype):
        wanted["device"] = values.pop(0)
        if values:
            wanted["dtype"] = values.pop(0)
    elif values:
        wanted["dtype"] = values.pop(0)
    wanted.update(zip(("non_blocking", "copy"), values, strict=False))
    return wanted


def cuda(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.cuda`."""
    device = args[1] if len(args) > 1 else kwargs.get("device")
    target = sim.machine.canonical("cuda" if device is None else device)
    assert target is not None
    if target.type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    return _formatted(moved(sim, args[0], target), kwargs)


def cpu(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.cpu`."""
    return _formatted(moved(sim, args[0], CPU), kwargs)


def _formatted(tensor: Any, kwargs: dict[str, Any]) -> Any:
    layout = kwargs.get("memory_format", torch.preserve_format)
    return tensor if layout is torch.preserve_format else tensor.contiguous(memory_format=layout)


def type_(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.type`: asked, it names the device; told, it moves."""
    tensor = args[0]
    wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
    if wanted is None:
        return type_name(sim.ledger, tensor)
    if isinstance(wanted, torch.dtype):
        return func(tensor, wanted)
    text = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
    target = sim.machine.canonical("cuda") if text.startswith("torch.cuda.") else CPU
    assert target is not None
    if target is not CPU and sim.ledger.device(tensor).type == "cuda":
        target = sim.ledger.device(tensor)
    return moved(sim, func(tensor, "torch." + text.rpartition(".")[2]), target)


def type_as(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.type_as`: type and device of another tensor."""
    other = args[1] if len(args) > 1 else kwargs["other"]
    tensor = args[0] if args[0].dtype == other.dtype else args[0].to(other.dtype)
    return moved(sim, tensor, sim.ledger.device(other))


def pin_memory(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.pin_memory`: a copy in page-locked host memory, here only marked so."""
    tensor = args[0]
    if sim.ledger.device(tensor) is not CPU or tensor.layout is not torch.strided:
        raise RuntimeError(messages.PIN.format(type_name(sim.ledger, tensor)))
    row = sim.ledger.row(tensor)
    if row is not None and row.pinned:
        return tensor
    sim.machine.touch()
    out = tensor.clone(memory_format=torch.contiguous_format)
    place = user_place()
    sim.ledger.put_storage(out.untyped_storage(), CPU, place).pinned = True
    return out


def is_pinned(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """`Tensor.is_pinned`."""
    row = sim.ledger.row(args[0])
    return row is not None and row.pinned

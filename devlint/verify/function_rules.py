"""What single torch functions do with devices, by function: the table of the upper mode.

The operators below them are checked by `placement_rules.py`; here stands what only the function shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.verify import factories, messages, moves
from devlint.verify.ledger import Ledger, bytes_of
from devlint.verify.machine import CPU
from devlint.verify.operands import MixedDevices
from devlint.verify.placement_rules import type_name
from devlint.verify.places import user_place
from devlint.verify.simulation import Simulation, tensors_in

T = torch.Tensor
Answer = Callable[[Simulation, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Carries the call out: (simulation, function, args, kwargs) to its result."""
Check = Callable[[Ledger, tuple[Any, ...], dict[str, Any]], None]
"""Raises where the operands may not meet; the call then goes its usual way."""


def answers() -> dict[Any, Answer]:
    """Functions that the simulation answers itself."""
    table: dict[Any, Answer] = {
        torch.device: device_constructor,
        T.to: moves.to,
        T.cuda: moves.cuda,
        T.cpu: moves.cpu,
        T.type: moves.type_,
        T.type_as: moves.type_as,
        T.pin_memory: moves.pin_memory,
        T.is_pinned: moves.is_pinned,
        T.new_tensor: factories.new_tensor,
        T.new: factories.new_tensor,
        T.numpy: to_numpy,
        T.get_device: get_device,
        T.item: read,
        T.tolist: read,
        T.is_shared: is_shared,
        T.share_memory_: share_memory,
        torch.get_device: get_device,
        torch.ctc_loss: ctc_loss,
        torch._C._VariableFunctions._pad_packed_sequence: pad_packed,
        torch._C.TensorBase.device.__get__: device_of,
        torch._C.TensorBase.is_cuda.__get__: is_cuda,  # type: ignore[attr-defined]
        torch._C.TensorBase.is_cpu.__get__: is_cpu,  # type: ignore[attr-defined]
        T.grad.__set__: assign_grad,  # type: ignore[union-attr]
    }
    for names, owner, answer in (
        (factories.FACTORIES, torch, factories.create),
        (factories.SPARSE, torch, factories.create_sparse),
        (factories.LIKE, torch, factories.create_like),
        (factories.NEW, T, factories.create_like),
        (factories.OF_DATA, torch, factories.of_data),
        (factories.HOST, torch, factories.on_the_host),
        (("apply_", "map_", "map2_"), T, host_only),
    ):
        table.update({getattr(owner, name): answer for name in names if hasattr(owner, name)})
    return table


def checks() -> dict[Any, Check]:
    """Functions with a check of their own before they are split into operators."""
    table: dict[Any, Check] = {torch._C._nn.scaled_dot_product_attention: attention}
    table.update({torch.tensor_split: sections, T.tensor_split: sections})
    table[torch._C._VariableFunctions._pack_padded_sequence] = lengths
    table.update(
        {getattr(torch._C._VariableFunctions, name): recurrent for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")}
    )
    table.update(
        {
            getattr(torch._C._VariableFunctions, name): cell
            for name in ("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
        }
    )
    return table


def device_constructor(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
    """`torch.device(1)`: an ordinal means the accelerator."""
    ordinal = args[0] if args else kwargs.get("device")
    if isinstance(ordinal, int) and not isinstance(ordinal, bool) and len(args) + len(kwargs) == 1:
        return torch.device("cuda", ordinal)
    made: torch.device = func(*args, **kwargs)
    return made


def device_of(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
    """`Tensor.device`."""
    return sim.ledger.device(args[0])


def is_cuda(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """`Tensor.is_cuda`."""
    return sim.ledger.device(args[0]).type == "cuda"


def is_cpu(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """`Tensor.is_cpu`."""
    return sim.ledger.device(args[0]).type == "cpu"


def get_device(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """`Tensor.get_device`: the ordinal, -1 for the host."""
    device = sim.ledger.device(args[0])
    return device.index if device.type == "cuda" and device.index is not None else -1


def to_numpy(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.numpy`: TypeError for device memory, unless forced."""
    tensor, force = args[0], kwargs.get("force", args[1] if len(args) > 1 else False)
    device = sim.ledger.device(tensor)
    if device is CPU or device.type != "cuda":
        return func(*args, **kwargs)
    if not force:
        raise TypeError(messages.NUMPY.format(device))
    return func(moves.moved(sim, tensor.detach(), CPU), force=True)


def read(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`item` and `tolist`: values come to the host."""
    device = sim.ledger.device(args[0])
    if device.type != "cuda" or func is T.item:
        return func(*args, **kwargs)
    sim.machine.touch()
    sim.ledger.transfer(user_place(), device, CPU, bytes_of(args[0]), "read")
    return func(*args, **kwargs)


def host_only(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Functions that call back into Python for each element."""
    if any(sim.ledger.device(tensor) is not CPU for tensor in tensors_in(args)):
        raise TypeError(messages.HOST_ONLY.format(func.__name__))
    return func(*args, **kwargs)


def assign_grad(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`tensor.grad = ...`."""
    tensor, grad = args
    if isinstance(grad, T) and sim.ledger.device(grad) != sim.ledger.device(tensor):
        raise RuntimeError(messages.ASSIGNED_GRAD)
    return func(*args)


def is_shared(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """`Tensor.is_shared`: device memory always is."""
    return sim.ledger.device(args[0]).type == "cuda" or bool(func(*args, **kwargs))


def share_memory(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Tensor.share_memory_`: nothing to do for device memory."""
    return args[0] if sim.ledger.device(args[0]).type == "cuda" else func(*args, **kwargs)


def ctc_loss(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """aten/src/ATen/native/LossCTC.cpp: lengths may be on the host; they are moved beside the result."""
    home = sim.ledger.device(args[0])
    lengths = [moves.moved(sim, value, home) if isinstance(value, T) else value for value in args[2:4]]
    return inside(sim, func, (*args[:2], *lengths, *args[4:]), kwargs)


def pad_packed(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """aten/src/ATen/native/PackedSequence.cpp: the lengths come back on the host."""
    out = inside(sim, func, args, kwargs)
    sim.ledger.put(out[1], CPU, user_place())
    return out


def inside(sim: Simulation, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call itself; what it makes on the way belongs to the side of its operands."""
    sim.nesting.calls.append((args, kwargs))
    try:
        return func(*args, **kwargs)
    finally:
        sim.nesting.calls.pop()


def attention(ledger: Ledger, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """aten/src/ATen/native/transformers/attention.cpp, `validate_sdpa_input`."""
    named = [args[i] if len(args) > i else kwargs.get(name) for i, name in enumerate(("query", "key", "value"))]
    devices = [ledger.device(value) for value in named]
    if any(device.type != devices[0].type for device in devices):
        raise refusal(
            ledger,
            messages.ATTENTION.format(*devices),
            torch.nn.functional.scaled_dot_product_attention,
            named,
        )


def lengths(ledger: Ledger, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """aten/src/ATen/native/PackedSequence.cpp: lengths stay on the host."""
    given = args[1]
    if (device := ledger.device(given)) is not CPU:
        kind = type_name(ledger, given).rpartition(".")[2].removesuffix("Tensor")
        raise refusal(ledger, messages.LENGTHS.format(dim=given.dim(), device=device, kind=kind), lengths, [*args[:2]])


def sections(ledger: Ledger, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """aten/src/ATen/native/TensorShape.cpp, `tensor_split`."""
    given = args[1] if len(args) > 1 else next((kwargs[name] for name in kwargs if "indices" in name), None)
    if isinstance(given, T) and (device := ledger.device(given)) is not CPU:
        raise refusal(ledger, messages.SECTIONS.format(device), torch.tensor_split, [args[0], given])


def recurrent(ledger: Ledger, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """aten/src/ATen/native/RNN.cpp, `check_attributes`; packed sequences have their batch sizes second,
    on the host.
    """
    packed = isinstance(args[1], T) and isinstance(args[3], (list, tuple))
    source, hidden, weights = (args[0], args[2], args[3]) if packed else (args[0], args[1], args[2])
    _same_side(ledger, source, hidden, weights)


def cell(ledger: Ledger, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """The cells compute with plain matrix products, which check themselves."""


def _same_side(ledger: Ledger, source: Any, hidden: Any, weights: Any) -> None:
    home = ledger.device(source)
    for what, tensors in (("hidden", tensors_in((hidden,))), ("parameter", tensors_in((weights,)))):
        for tensor in tensors:
            if (other := ledger.device(tensor)) != home:
                text = messages.RNN.format(what=what, input=home, other=other)
                raise refusal(ledger, text, torch._VF.lstm, [source, tensor])


def refusal(ledger: Ledger, text: str, func: Any, operands: list[Any]) -> RuntimeError:
    """The error for operands that may not meet, with the operands attached."""
    error = RuntimeError(text)
    error.__dict__["mixed_devices"] = MixedDevices.of(ledger, func, operands, user_place())
    return error

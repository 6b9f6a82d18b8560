"""Composite ops that check their devices before the dispatcher sees them: recurrent layers, attention, vmap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.interception import intercepts, named
from devlint.verify.ledger import HOST
from devlint.verify.machine import Machine, device_error, tensors_in
from devlint.verify.autocast import cast

T = torch.Tensor


@intercepts(*named(torch, "lstm gru rnn_tanh rnn_relu"))
def recurrent(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """(input, hidden, weights, ...) or, packed, (data, batch sizes, hidden, weights, ...)."""
    packed = isinstance(args[1], T) and args[1].dtype is torch.int64 and args[1].dim() == 1
    hidden, weights = args[1 + packed], args[2 + packed]
    data = args[0]
    for kind, group in (("parameter", weights), ("hidden", hidden)):
        _same_as_input(machine, data, kind, list(tensors_in(group)))
    if torch.is_autocast_enabled("cuda"):
        args, kwargs = cast(machine, func, args, kwargs)
    with machine.making(machine.ledger.device_of(data)):
        return func(*args, **kwargs)


def _same_as_input(machine: Machine, data: T, kind: str, group: Sequence[T]) -> None:
    device = machine.ledger.device_of(data)
    for tensor in group:
        found = machine.ledger.device_of(tensor)
        if found is not device:
            text = messages.RNN.format(other=kind, device=device, found=found)
            raise _told(machine, text, {"input": data, kind: tensor})


@intercepts(torch._C._nn.scaled_dot_product_attention)
def attention(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    names = ("query", "key", "value")
    parts = {name: args[i] if i < len(args) else kwargs[name] for i, name in enumerate(names)}
    devices = {name: machine.ledger.device_of(tensor) for name, tensor in parts.items()}
    if len(set(devices.values())) > 1:
        raise _told(machine, messages.ATTENTION.format(**devices), parts)
    if torch.is_autocast_enabled("cuda"):
        args, kwargs = cast(machine, func, args, kwargs)
    with machine.making(devices["query"]):
        return func(*args, **kwargs)


@intercepts(torch._VF._pack_padded_sequence)  # type: ignore[attr-defined]
def pack_padded_sequence(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lengths come from the host, and the batch sizes stay there."""
    data, lengths = args[0], args[1]
    if machine.ledger.device_of(lengths) is not HOST:
        kind = lengths.type().rpartition(".")[2].removesuffix("Tensor")
        text = messages.LENGTHS.format(dim=lengths.dim(), device=machine.ledger.device_of(lengths), dtype=kind)
        raise _told(machine, text, {"input": data, "lengths": lengths})
    with machine.making(HOST):
        packed, batch_sizes = func(*args, **kwargs)
    machine.ledger.put(batch_sizes, HOST)
    return packed, batch_sizes


@intercepts(torch._VF._pad_packed_sequence)  # type: ignore[attr-defined]
def pad_packed_sequence(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with machine.making(machine.ledger.device_of(args[0])):
        padded, lengths = func(*args, **kwargs)
    machine.ledger.put(lengths, HOST)
    return padded, lengths


def _told(machine: Machine, text: str, operands: dict[str, T]) -> BaseException:
    error = device_error(RuntimeError(text))
    for name, tensor in operands.items():
        error.add_note(machine.ledger.story(name, tensor))
    return error

"""What `torch.nn.DataParallel` does with several devices: broadcast, scatter, gather, in the simulated memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from devlint.verify.machine import Machine
from devlint.verify.moves import move
from devlint.verify.patches import Patches

T = torch.Tensor


def install(machine: Machine, patches: Patches) -> None:
    """Supply the functions of `torch._C` that a CPU build lacks (torch/csrc/cuda/comm.cpp)."""

    def place(index: int) -> torch.device:
        return machine.device("cpu" if index == -1 else index) or machine.cuda[0]

    def copies(tensor: T, devices: Sequence[int]) -> list[T]:
        return [move(machine, tensor, place(index)) for index in devices]

    def broadcast_coalesced(tensors: Sequence[T], devices: Sequence[int], size: int) -> list[list[T]]:
        return [[move(machine, tensor, place(index)) for tensor in tensors] for index in devices]

    def scatter(tensor: T, devices: Sequence[int], sizes: Any, dim: int, streams: Any) -> list[T]:
        chunks = tensor.split(sizes, dim) if sizes is not None else tensor.chunk(len(devices), dim)
        return [move(machine, chunk, place(index)) for chunk, index in zip(chunks, devices, strict=False)]

    def gather(tensors: Sequence[T], dim: int, destination: int | None) -> T:
        target = place(machine.thread.current if destination is None else destination)
        with machine.making(target):
            return torch.cat([move(machine, tensor, target) for tensor in tensors], dim)

    table = {
        "_broadcast": copies,
        "_broadcast_coalesced": broadcast_coalesced,
        "_scatter": scatter,
        "_gather": gather,
    }
    for name, value in table.items():
        patches.set(torch._C, name, value)

"""The copies between devices that `nn.DataParallel` makes through C++: scatter, gather, broadcast, reduce."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.parallel import comm

from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation
from devlint.verify.simulation_error import refuse


def install_parallel(sim: Simulation, patches: Patches) -> None:
    """Replace torch.nn.parallel.comm; refuse NCCL."""

    def device(target: Any) -> Any:
        return torch.device("cpu") if target == -1 else sim.machine.canonical(target)

    def broadcast(tensor: Any, devices: Any = None, *, out: Any = None) -> Any:
        if out is not None:
            for copy in out:
                copy.copy_(tensor)
            return tuple(out)
        return tuple(tensor.to(device(target)) for target in devices)

    def broadcast_coalesced(tensors: Sequence[Any], devices: Sequence[Any], buffer_size: int = 0) -> Any:
        return [[tensor.to(device(target)) for tensor in tensors] for target in devices]

    def reduce_add(inputs: Sequence[Any], destination: Any = None) -> Any:
        home = device(torch.cuda.current_device() if destination is None else destination)
        total = inputs[0].to(home)
        for tensor in inputs[1:]:
            total = total + tensor.to(home)
        return total

    def reduce_add_coalesced(inputs: Any, destination: Any = None, buffer_size: int = 0) -> Any:
        return tuple(reduce_add(column, destination) for column in zip(*inputs, strict=True))

    def scatter(
        tensor: Any,
        devices: Any = None,
        chunk_sizes: Any = None,
        dim: int = 0,
        streams: Any = None,
        *,
        out: Any = None,
    ) -> Any:
        chunks = tensor.chunk(len(devices), dim) if chunk_sizes is None else tensor.split(chunk_sizes, dim)
        return tuple(chunk.to(device(target)) for chunk, target in zip(chunks, devices, strict=False))

    def gather(tensors: Sequence[Any], dim: int = 0, destination: Any = None, *, out: Any = None) -> Any:
        home = device(torch.cuda.current_device() if destination is None else destination)
        return torch.cat([tensor.to(home) for tensor in tensors], dim, **({} if out is None else {"out": out}))

    replaced = (broadcast, broadcast_coalesced, reduce_add, reduce_add_coalesced, scatter, gather)
    patches.set_all(comm, {function.__name__: function for function in replaced})
    _refuse_nccl(patches)


def _refuse_nccl(patches: Patches) -> None:
    for name in (
        "all_reduce",
        "reduce",
        "broadcast",
        "all_gather",
        "reduce_scatter",
        "init_rank",
        "unique_id",
    ):
        if hasattr(torch.cuda.nccl, name):
            patches.set(torch.cuda.nccl, name, refuse("NCCL"))
    distributed = torch.distributed
    if not distributed.is_available():
        return
    real = distributed.init_process_group

    def init_process_group(backend: Any = None, *args: Any, **options: Any) -> Any:
        if backend is not None and "nccl" in str(backend).lower():
            refuse("NCCL")()
        return real(backend, *args, **options)

    patches.set(distributed, "init_process_group", init_process_group)

"""Saving, loading and copying: the device travels with the storage, as `torch.save` writes it on a CUDA
machine.
"""

from __future__ import annotations

import json
from typing import Any

import torch
from torch import serialization

from devlint.verify import messages
from devlint.verify.machine import CPU
from devlint.verify.patches import Patches
from devlint.verify.places import user_place
from devlint.verify.simulation import Simulation

_PRIORITY = 5
_EXTRA = "devlint.devices"


def install_serialization(sim: Simulation, patches: Patches) -> None:
    """Register a storage location for the simulated devices, and keep devices through copies of storages."""
    _register(sim, patches)
    _storages(sim, patches)
    _scripts(sim, patches)
    _exchange(patches)


def _register(sim: Simulation, patches: Patches) -> None:
    def tag(storage: Any) -> str | None:
        row = sim.ledger.rows.get(_untyped(storage)._cdata)
        return str(row.device) if row and row.device.type == "cuda" else None

    def restore(storage: Any, location: str) -> Any:
        if not location.startswith("cuda"):
            return None
        index = torch.device(location).index
        index = sim.machine.current if index is None else index
        if index >= len(sim.machine.devices):
            raise RuntimeError(messages.LOAD.format(index, len(sim.machine.devices)))
        sim.machine.touch()
        sim.ledger.put_storage(_untyped(storage), sim.machine.devices[index], user_place())
        return storage

    entry = (_PRIORITY, tag, restore)
    registry: list[Any] = serialization._package_registry
    registry.insert(0, entry)
    patches.later(lambda: registry.remove(entry))


def _untyped(storage: Any) -> Any:
    return storage._untyped_storage if isinstance(storage, torch.TypedStorage) else storage


def _storages(sim: Simulation, patches: Patches) -> None:
    base: Any = torch.UntypedStorage
    real_clone, real_device = base.clone, base.device

    def device_of(storage: Any) -> Any:
        row = sim.ledger.rows.get(storage._cdata)
        return row.device if row and row.device.type == "cuda" else real_device.__get__(storage)

    def clone(storage: Any) -> Any:
        device = device_of(storage)
        if device.type != "cuda":
            return real_clone(storage)
        twin = type(storage)(storage.nbytes()).copy_(storage)
        sim.ledger.put_storage(twin, device, user_place())
        return twin

    def cuda(storage: Any, device: Any = None, non_blocking: bool = False) -> Any:
        target = sim.machine.canonical("cuda" if device is None else device)
        assert target is not None
        return _on(sim, storage, target)

    def cpu(storage: Any) -> Any:
        return _on(sim, storage, CPU)

    patches.set(base, "device", property(device_of))
    patches.set(base, "is_cuda", property(lambda storage: device_of(storage).type == "cuda"))
    patches.set(base, "clone", clone)
    patches.set(base, "cuda", cuda)
    patches.set(base, "cpu", cpu)


def _on(sim: Simulation, storage: Any, target: torch.device) -> Any:
    if storage.device == target:
        return storage
    kind: Any = torch.UntypedStorage
    twin = kind(storage.nbytes()).copy_(storage)
    sim.ledger.put_storage(twin, target, user_place())
    return twin


def _exchange(patches: Patches) -> None:
    """`from_dlpack` of a tensor of ours: the same memory, and so the same device."""
    real: Any = torch.utils.dlpack.from_dlpack

    def from_dlpack(ext_tensor: Any, **options: Any) -> Any:
        return (
            ext_tensor.detach() if isinstance(ext_tensor, torch.Tensor) and not options else real(ext_tensor, **options)
        )

    patches.set(torch, "from_dlpack", from_dlpack)
    patches.set(torch.utils.dlpack, "from_dlpack", from_dlpack)


def _scripts(sim: Simulation, patches: Patches) -> None:
    """`torch.jit.save` goes through C++, which knows only the host: the devices ride along as an extra
    file.
    """
    real_save: Any = torch.jit.save
    real_load: Any = torch.jit.load

    def save(m: Any, f: Any, _extra_files: Any = None) -> Any:
        devices = {name: str(sim.ledger.device(tensor)) for name, tensor in _tensors(m)}
        return real_save(m, f, _extra_files={**(_extra_files or {}), _EXTRA: json.dumps(devices)})

    def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
        extra = {**(_extra_files or {}), _EXTRA: ""}
        loaded = real_load(f, map_location="cpu", _extra_files=extra, _restore_shapes=_restore_shapes)
        devices = json.loads(extra.pop(_EXTRA) or "{}")
        if _extra_files is not None:
            _extra_files.update(extra)
        for name, tensor in _tensors(loaded):
            target = sim.machine.canonical(devices.get(name, "cpu") if map_location is None else map_location)
            if target is not None:
                sim.ledger.put(tensor, target, user_place())
        return loaded

    patches.set(torch.jit, "save", save)
    patches.set(torch.jit, "load", load)


def _tensors(module: Any) -> list[tuple[str, Any]]:
    return [*module.named_parameters(), *module.named_buffers()]

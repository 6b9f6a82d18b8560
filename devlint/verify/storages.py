"""Storages on a device, and with them `torch.save`, `torch.load`, `deepcopy` and pickle."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify.cuda_queries import refuse
from devlint.verify.ledger import HOST, UNDECIDED
from devlint.verify.machine import Machine
from devlint.verify.patches import Patches
from devlint.verify.places import user_place

Storage = torch.UntypedStorage
_cdata = torch._C.StorageBase._cdata.__get__  # type: ignore[attr-defined]
_real_device = torch._C.StorageBase.device.__get__  # type: ignore[attr-defined]


def install(machine: Machine, patches: Patches) -> None:
    ledger = machine.ledger

    def device_of(storage: Storage) -> torch.device:
        row = ledger.rows.get(_cdata(storage))
        if row is None or row.device is UNDECIDED:
            return _real_device(storage)  # type: ignore[no-any-return]
        return row.device

    def label(storage: Storage, device: torch.device) -> Storage:
        address = _cdata(storage)
        row = ledger.rows.get(address) or ledger.open_storage(storage, address, HOST, user_place())
        row.device, row.moved = device, user_place()
        return storage

    def copied(storage: Storage, device: torch.device) -> Storage:
        out = Storage(storage.nbytes())
        real_copy(out, storage)
        return label(out, device)

    def to(storage: Storage, *, device: Any, non_blocking: bool = False) -> Storage:
        target = machine.device(device)
        if target is None or target.type not in ("cpu", "cuda"):
            return real_to(storage, device=device, non_blocking=non_blocking)  # type: ignore[no-any-return]
        return storage if device_of(storage) is target else copied(storage, target)

    def cuda(storage: Storage, device: Any = None, non_blocking: bool = False) -> Storage:
        return to(storage, device="cuda" if device is None else device)

    def new(cls: Any, *args: Any, device: Any = None, **options: Any) -> Storage:
        target = machine.device(device) or HOST
        if target.type not in ("cpu", "cuda"):
            options["device"] = target
        made: Storage = torch._C.StorageBase.__new__(cls, *args, **options)
        return label(made, target) if target.type == "cuda" else made

    real_to, real_copy = Storage.to, Storage.copy_
    table: dict[str, Any] = {
        "device": property(device_of),
        "is_cuda": property(lambda storage: device_of(storage).type == "cuda"),
        "clone": lambda storage: copied(storage, device_of(storage)),
        "to": to,
        "cpu": lambda storage: to(storage, device=HOST),
        "cuda": cuda,
        "__new__": staticmethod(new),
        "_share_cuda_": refuse("sharing a CUDA tensor between processes"),
    }
    for name, value in table.items():
        patches.set(Storage, name, value)

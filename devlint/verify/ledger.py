"""Which storage lives on which device, since when, and who put it there.

A row is kept per storage, so views share a device. It disappears with its storage (torch keeps one Python
object per
storage, and a weak reference to it ends when the memory is freed).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from devlint.verify.machine import CPU, UNDECIDED
from devlint.verify.places import NOWHERE, Place

_DEVICE_OF = torch._C.TensorBase.device.__get__


class Row(weakref.ref):  # type: ignore[type-arg]
    """What is known of one storage: where it is, where its data was created and, if it was, moved.

    It is itself the weak reference that ends with the storage: one object for each new tensor, not two.
    """

    __slots__ = ("created", "device", "hint", "key", "memory", "moved", "nbytes", "pinned")
    key: int
    device: torch.device
    nbytes: int
    memory: Memory
    created: Place
    moved: Place
    pinned: bool
    hint: torch.device
    """For an undecided storage: where the operation before it was, the answer until it meets an operand."""


@dataclass(slots=True)
class Transfer:
    """Copies between devices on one line of the program."""

    place: Place
    source: str
    target: str
    what: str
    count: int = 0
    nbytes: int = 0


@dataclass(slots=True)
class Memory:
    """Bytes in use on one device, and the most there ever were."""

    used: int = 0
    peak: int = 0

    def add(self, nbytes: int) -> None:
        """So many bytes more."""
        used = self.used = self.used + nbytes
        if used > self.peak:
            self.peak = used


def bytes_of(tensor: torch.Tensor) -> int:
    """What a tensor holds, in bytes; of a sparse one its values and their positions."""
    if tensor.layout is torch.strided:
        return tensor.nbytes
    if tensor.layout is torch.sparse_coo:
        parts = (tensor._indices(), tensor._values())
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = (tensor.crow_indices(), tensor.col_indices(), tensor.values())  # type: ignore[assignment]
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        parts = (tensor.ccol_indices(), tensor.row_indices(), tensor.values())  # type: ignore[assignment]
    else:
        return 0
    return sum(part.nbytes for part in parts)


@dataclass
class Ledger:
    """The devices of all storages that the simulation has seen, and the transfers between them."""

    rows: dict[int, Row] = field(default_factory=dict)
    memory: dict[torch.device, Memory] = field(default_factory=dict)
    transfers: dict[tuple[Place, str, str, str], Transfer] = field(default_factory=dict)

    def device(self, tensor: Any) -> torch.device:
        """The device the program should see; the real one for storages that are not known here."""
        row = self.row(tensor)
        if row is None:
            with torch._C.DisableTorchFunction():
                real: torch.device = _DEVICE_OF(plain(tensor))
            return CPU if real.type == "cpu" else real
        return row.hint if row.device is UNDECIDED else row.device

    def row(self, tensor: Any) -> Row | None:
        """The row of the tensor's storage, if there is one."""
        storage = storage_of(tensor)
        return None if storage is None else self.rows.get(storage._cdata)

    def put(self, tensor: Any, device: torch.device, place: Place, moved: Place = NOWHERE) -> None:
        """From now on the tensor's storage is on the device."""
        for storage in storages_of(tensor):
            self.put_storage(storage, device, place, moved)

    def put_storage(self, storage: Any, device: torch.device, place: Place, moved: Place = NOWHERE) -> Row:
        """From now on the storage is on the device."""
        row = self.rows.get(storage._cdata)
        if row is None:
            return self.enter(storage, device, place, moved)
        row.memory.used -= row.nbytes
        row.device, row.nbytes, row.memory = device, storage.nbytes(), self._memory(device)
        if moved is not NOWHERE:
            row.created, row.moved = place, moved
        row.memory.add(row.nbytes)
        return row

    def enter(self, storage: Any, device: torch.device, place: Place, moved: Place = NOWHERE) -> Row:
        """A storage that is not known yet."""
        row = Row(storage, self._forget)
        row.key = key = storage._cdata
        row.device, row.created, row.moved, row.pinned, row.hint = device, place, moved, False, CPU
        row.nbytes = nbytes = storage.nbytes()
        row.memory = memory = self.memory.get(device) or self._memory(device)
        memory.add(nbytes)
        self.rows[key] = row
        return row

    def transfer(self, place: Place, source: torch.device, target: torch.device, nbytes: int, what: str) -> None:
        """Count one copy between devices."""
        key = (place, source.type, target.type, what)
        entry = self.transfers.get(key)
        if entry is None:
            entry = self.transfers[key] = Transfer(place, str(source), str(target), what)
        entry.count += 1
        entry.nbytes += nbytes

    def used(self, device: torch.device) -> int:
        """Bytes of living storages on the device."""
        memory = self.memory.get(device)
        return memory.used if memory else 0

    def peak(self, device: torch.device) -> int:
        """The most bytes that were ever in use on the device."""
        memory = self.memory.get(device)
        return memory.peak if memory else 0

    def reset_peak(self, device: torch.device) -> None:
        """Start a new measurement of the peak."""
        if memory := self.memory.get(device):
            memory.peak = memory.used

    def _forget(self, row: Row) -> None:
        if self.rows.get(row.key) is row:
            del self.rows[row.key]
        row.memory.used -= row.nbytes

    def _memory(self, device: torch.device) -> Memory:
        return self.memory.setdefault(device, Memory())


def storages_of(tensor: Any) -> Iterable[Any]:
    """All storages of a tensor: one, or for sparse tensors those of its indices and values."""
    with torch._C.DisableTorchFunction():
        tensor = unwrapped(tensor)
        if tensor.layout is torch.strided:
            storage = storage_of(tensor)
            return () if storage is None else (storage,)
        return tuple(part.untyped_storage() for part in _parts(tensor))


def storage_of(tensor: Any) -> Any | None:
    """The storage that decides the tensor's device; None where there is none (functional wrappers,
    opaque tensors).
    """
    with torch._C.DisableTorchFunction():
        try:
            if type(tensor) is torch.Tensor or type(tensor) is torch.nn.Parameter:
                return tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):
            pass
        try:
            tensor = unwrapped(tensor)
            if tensor.layout is not torch.strided and (parts := _parts(tensor)):
                tensor = parts[-1]
            return tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):
            return None


def _parts(tensor: Any) -> list[Any]:
    with torch._C._DisableTorchDispatch():
        match tensor.layout:
            case torch.sparse_coo:
                return [tensor._indices(), tensor._values()]
            case torch.sparse_csr | torch.sparse_bsr:
                return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
            case torch.sparse_csc | torch.sparse_bsc:
                return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
            case _:
                return []


def unwrapped(tensor: Any) -> Any:
    """The tensor that holds the data, below the wrappers of torch.func and of traceable subclasses."""
    tensor = plain(tensor)
    if type(tensor) is not torch.Tensor and hasattr(tensor, "__tensor_flatten__"):
        names, _ = tensor.__tensor_flatten__()
        return unwrapped(getattr(tensor, names[0]))
    return tensor


def plain(tensor: Any) -> Any:
    """The tensor, with the wrappers of torch.func taken off."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor

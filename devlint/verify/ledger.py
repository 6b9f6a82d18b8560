"""The ledger: which storage lives on which device.

Rows are keyed by the storage, so that all views of a tensor share one device. A row is a weak reference to the
storage: it leaves the ledger when the storage dies, and its address is not handed out again before that.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import torch

from devlint.verify.places import Place, user_place
from devlint.verify.record import Record

HOST = torch.device("cpu")
UNDECIDED = torch.device("lazy")
"""The side of a helper tensor made inside torch's own backward code: it joins whatever it meets first."""

_ALLOCATION_BLOCK = 512
"""Bytes are counted in blocks as CUDA's caching allocator does (c10/cuda/CUDACachingAllocator: kMinBlockSize)."""

_address: Callable[[torch.Tensor], int] = torch._C._storage_address
_untyped_storage = torch._C.TensorBase.untyped_storage
_real_device = torch._C.TensorBase.device.__get__  # type: ignore[attr-defined]
_is_cpu = torch._C.TensorBase.is_cpu.__get__  # type: ignore[attr-defined]
_storage_nbytes = torch._C.StorageBase.nbytes


class Row(weakref.ref[torch.UntypedStorage]):
    """One storage: its device, its size, and where in the program it was made and last moved."""

    __slots__ = ("address", "bytes", "device", "made", "moved", "pinned")

    address: int
    bytes: int
    device: torch.device
    made: Place | None
    moved: Place | None
    pinned: bool


class Ledger:
    """Where every tensor lives, and what the program did on which device."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.allocated: defaultdict[torch.device, int] = defaultdict(int)
        self.peak: defaultdict[torch.device, int] = defaultdict(int)
        self.record = Record()

    def device_of(self, tensor: torch.Tensor) -> torch.device:
        """The device the program is meant to see (`cuda:0`, `cpu`, `meta`)."""
        row = self.row(tensor)
        if row is not None:
            return HOST if row.device is UNDECIDED else row.device
        with torch._C.DisableTorchFunction():
            device: torch.device = _real_device(_unwrapped(tensor))
        return HOST if device.type == "cpu" else device

    def row(self, tensor: torch.Tensor) -> Row | None:
        """The row of the tensor's storage; of its values where the tensor is sparse."""
        try:
            return self.rows.get(_address(tensor))
        except (RuntimeError, NotImplementedError):
            for part in storages_of(tensor):
                return self.rows.get(_address(part))
            return None

    def put(self, tensor: torch.Tensor, device: torch.device, *, moved: bool = False) -> None:
        """Write down that the storage of `tensor` lives on `device`, whatever was known before."""
        for part in storages_of(tensor):
            row = self.rows.get(_address(part)) or self.open_row(part, device, user_place())
            if row is None:
                continue
            if row.device is not device:
                self._account(row.device, -row.bytes)
                row.device = device
                self._account(device, row.bytes)
            if moved:
                row.moved = user_place()

    def story(self, name: str, tensor: torch.Tensor) -> str:
        """One line on an operand, for the error it takes part in: what it is, where it was made and last moved."""
        row = self.row(tensor)
        with torch._C.DisableTorchFunction():
            what = f"{name}: {str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)}"
        text = f"{what} on {self.device_of(tensor)}"
        if row is not None and row.made is not None:
            text += f", made at {row.made}"
        if row is not None and row.moved is not None:
            text += f", moved at {row.moved}"
        return text

    def open_row(self, tensor: torch.Tensor, device: torch.device, place: Place | None) -> Row | None:
        """A row for a storage that has none; None where the tensor is not in memory (`meta`)."""
        with torch._C.DisableTorchFunction():
            if not _is_cpu(tensor):
                return None
            return self.open_storage(_untyped_storage(tensor), _address(tensor), device, place)

    def open_storage(
        self, storage: torch.UntypedStorage, address: int, device: torch.device, place: Place | None
    ) -> Row:
        row = Row(storage, self._forget)
        size = -(-_storage_nbytes(storage) // _ALLOCATION_BLOCK) * _ALLOCATION_BLOCK
        row.address, row.bytes, row.device = address, size, device
        row.made, row.moved, row.pinned = place, None, False
        self.rows[address] = row
        total = self.allocated[device] = self.allocated[device] + size
        if total > self.peak[device]:
            self.peak[device] = total
        return row

    def _forget(self, row: weakref.ref[torch.UntypedStorage]) -> None:
        address = row.address  # type: ignore[attr-defined]
        if self.rows.get(address) is row:
            del self.rows[address]
        self.allocated[row.device] -= row.bytes  # type: ignore[attr-defined]

    def _account(self, device: torch.device, change: int) -> None:
        total = self.allocated[device] = self.allocated[device] + change
        if total > self.peak[device]:
            self.peak[device] = total


def storages_of(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """The strided tensors that hold the data: the tensor itself, or the parts of a sparse or wrapped one."""
    with torch._C.DisableTorchFunction():
        tensor = _unwrapped(tensor)
        try:
            _address(tensor)
        except (RuntimeError, NotImplementedError):
            parts: Any = _SPARSE_PARTS.get(tensor.layout, ())
            found = [getattr(tensor, name)() for name in parts]
        else:
            found = [tensor]
    yield from found


def size_in_bytes(tensor: torch.Tensor) -> int:
    """Bytes of a tensor's elements; of its parts where it is sparse."""
    with torch._C.DisableTorchFunction():
        return sum(part.numel() * part.element_size() for part in storages_of(tensor))


_SPARSE_PARTS = {
    torch.sparse_coo: ("_values", "_indices"),
    torch.sparse_csr: ("values", "crow_indices", "col_indices"),
    torch.sparse_bsr: ("values", "crow_indices", "col_indices"),
    torch.sparse_csc: ("values", "ccol_indices", "row_indices"),
    torch.sparse_bsc: ("values", "ccol_indices", "row_indices"),
}


def _unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor below the wrappers of `torch.func` (vmap, grad)."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor

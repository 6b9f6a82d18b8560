"""Functions of torch that neither mode sees, supplied for the simulated device: dlpack, nested tensors, grouping."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.ledger import HOST
from devlint.verify.machine import Machine, fail
from devlint.verify.patches import Patches

T = torch.Tensor


def install(machine: Machine, patches: Patches) -> None:
    _dlpack(machine, patches)
    _nested(machine, patches)
    patches.set(torch._C, "_group_tensors_by_device_and_dtype", _grouping(machine))


def _dlpack(machine: Machine, patches: Patches) -> None:
    real = torch.from_dlpack

    def from_dlpack(ext_tensor: Any, **options: Any) -> T:
        if not isinstance(ext_tensor, T):
            return real(ext_tensor, **options)
        device = machine.ledger.device_of(ext_tensor)
        out: T = torch._C._from_dlpack(torch._C._to_dlpack(ext_tensor))  # type: ignore[attr-defined]
        machine.ledger.put(out, device)
        return out

    patches.set_everywhere(torch, "from_dlpack", from_dlpack)


def _nested(machine: Machine, patches: Patches) -> None:
    """The strided layout is made in C++, which takes a device only of its own build."""
    real = torch.nested.nested_tensor

    def nested_tensor(tensor_list: Any, *, device: Any = None, layout: Any = None, **options: Any) -> T:
        target = machine.device(device)
        if layout is torch.jagged or target is None or target.type not in ("cpu", "cuda"):
            return real(tensor_list, device=device, layout=layout, **options)
        out = real(tensor_list, layout=layout, **options)
        machine.ledger.put(out, target)
        return out

    patches.set(torch.nested, "nested_tensor", nested_tensor)


def _grouping(machine: Machine) -> Any:
    """Optimizers work by groups of one device and type (torch/csrc/Module.cpp)."""

    def group(lists: list[list[T | None]], with_indices: bool = False) -> dict[Any, Any]:
        groups: dict[Any, Any] = {}
        for index, first in enumerate(lists[0]):
            members = [column[index] if column else None for column in lists]
            if first is None:
                continue
            device = machine.ledger.device_of(first)
            for other in members[1:]:
                found = device if other is None else machine.ledger.device_of(other)
                if found is not device and not (found is HOST and other is not None and other.dim() == 0):
                    fail(messages.GROUPED)
            columns, indices = groups.setdefault((device, first.dtype), ([[] for _ in lists], []))
            for column, source, member in zip(columns, lists, members, strict=True):
                if source:
                    column.append(member)
            if with_indices:
                indices.append(index)
        return groups

    return group

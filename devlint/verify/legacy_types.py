"""`torch.cuda.FloatTensor` and its kind, and `torch.set_default_tensor_type`."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify.machine import Machine
from devlint.verify.patches import Patches

_DTYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "ShortTensor": torch.int16,
    "CharTensor": torch.int8,
    "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}


class _LegacyType(type):
    """The type of the legacy classes: a tensor is an instance where device and dtype agree."""

    dtype: torch.dtype
    is_cuda = True

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Tensor) and instance.is_cuda and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Any:
        if device is not None and torch.device(device).type != "cuda":
            given = torch.device(device).type
            raise RuntimeError(
                f"legacy constructor expects device type: cuda but device type: {given} was passed"
            )
        place = torch.device("cuda") if device is None else torch.device(device)
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            return args[0].to(place, cls.dtype)
        if len(args) == 1 and not isinstance(args[0], (int, torch.Size)):
            return torch.tensor(args[0], dtype=cls.dtype, device=place)
        return torch.empty(*(args or (0,)), dtype=cls.dtype, device=place)


def install(machine: Machine, patches: Patches) -> None:
    for name, dtype in _DTYPES.items():
        made = _LegacyType(name, (), {"dtype": dtype, "__module__": "torch.cuda"})
        patches.set(torch.cuda, name, made)
    real = torch.set_default_tensor_type

    def set_default_tensor_type(kind: Any) -> None:
        name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
        real(name.replace("torch.cuda.", "torch."))
        machine.default_type_device = machine.device("cuda") if name.startswith("torch.cuda.") else None

    patches.set(torch, "set_default_tensor_type", set_default_tensor_type)

"""`torch.cuda.FloatTensor` and its family, and `torch.set_default_tensor_type`."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.machine import CPU
from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation

DTYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "ByteTensor": torch.uint8,
    "CharTensor": torch.int8,
    "ShortTensor": torch.int16,
    "IntTensor": torch.int32,
    "LongTensor": torch.int64,
    "BoolTensor": torch.bool,
}


class TensorType(type):
    """The type of `torch.cuda.FloatTensor`: called, it makes a tensor; asked, it looks at device and
    dtype.
    """

    dtype: torch.dtype
    is_cuda = True
    is_sparse = False

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        if device is not None and torch.device(device).type != "cuda":
            raise RuntimeError(messages.LEGACY.format("cuda", torch.device(device).type))
        device = "cuda" if device is None else device
        match data:
            case ():
                return torch.empty(0, dtype=cls.dtype, device=device)
            case (torch.Tensor() as tensor,):
                if tensor.dtype != cls.dtype or not tensor.is_cuda:
                    raise TypeError(f"expected {cls.__module__}.{cls.__name__} (got {tensor.type()})")
                return tensor.detach()
            case (torch.Size() as size,):
                return torch.empty(size, dtype=cls.dtype, device=device)
            case (int(), *_):
                return torch.empty(*data, dtype=cls.dtype, device=device)
            case _:
                return torch.tensor(data[0], dtype=cls.dtype, device=device)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, torch.Tensor) and instance.is_cuda and instance.dtype == cls.dtype


class HostTensorType(type):
    """The type of what stands for `torch.FloatTensor`: device tensors are no instances of it."""

    real: Any

    def __call__(cls, *data: Any, **options: Any) -> Any:
        return cls.real(*data, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.real) and not instance.is_cuda

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.real, name)


def install_types(sim: Simulation, patches: Patches) -> None:
    """Give `torch.cuda` its tensor types, and let one of them be the default."""
    real_types = {name: getattr(torch, name) for name in DTYPES}
    for name, dtype in DTYPES.items():
        kind = TensorType(name, (), {"__module__": "torch.cuda", "dtype": dtype})
        patches.set(torch.cuda, name, kind)
        host = HostTensorType(name, (), {"__module__": "torch", "real": real_types[name]})
        patches.set(torch, name, host)
    real_set, real_default = torch.set_default_tensor_type, torch._C._get_default_device

    def set_default_tensor_type(t: Any) -> None:
        text = t if isinstance(t, str) else f"{t.__module__}.{t.__name__}"
        on_device = text.startswith("torch.cuda.")
        real_set(real_types[text.rpartition(".")[2]])
        sim.default_tensor_device = torch.device("cuda") if on_device else CPU

    patches.set(torch, "set_default_tensor_type", set_default_tensor_type)
    patches.set(
        torch._C,
        "_get_default_device",
        lambda: "cuda" if sim.default_tensor_device is not CPU else real_default(),
    )
    kept = torch.get_default_dtype()
    patches.later(lambda: torch.set_default_dtype(kept))

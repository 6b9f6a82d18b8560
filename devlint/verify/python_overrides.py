"""Torch functions written in Python run their own body, so that what they call inside is seen as well.

Such a function asks `has_torch_function` and hands itself to the active mode, which is then switched off while the
body runs: `x.device` inside would show the host. Here the question is answered without counting our own mode.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext

from devlint.verify.function_mode import Functions
from devlint.verify.patches import Patches

_NAMES = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")
_PLAIN = (torch.Tensor, torch.nn.Parameter)


def install(patches: Patches) -> None:
    originals = {name: getattr(torch.overrides, name) for name in _NAMES}

    def has_torch_function(args: Any) -> bool:
        return _foreign_mode() or _subclass(args)

    def unary(arg: Any) -> bool:
        return has_torch_function((arg,))

    def variadic(*args: Any) -> bool:
        return has_torch_function(args)

    known_to_torchscript = torch.jit._builtins._get_builtin_table()  # type: ignore[no-untyped-call]
    for answer in (has_torch_function, unary, variadic):
        patches.set_item(known_to_torchscript, id(answer), "aten::has_torch_function")
    for module in [m for name, m in list(sys.modules.items()) if name.startswith("torch") and m is not None]:
        for name, answer in zip(_NAMES, (has_torch_function, unary, variadic), strict=True):
            if vars(module).get(name) is originals[name]:
                patches.set(module, name, answer)


def _foreign_mode() -> bool:
    if torch._C._len_torch_function_stack() < 2:
        return False
    return any(not isinstance(mode, (Functions, DeviceContext)) for mode in _get_current_function_mode_stack())


def _subclass(args: Any) -> bool:
    """Whether an argument's type has a `__torch_function__` of its own that is not switched off."""
    for arg in args:
        kind = type(arg)
        if kind not in _PLAIN and kind not in _BUILTIN and _overrides(kind):
            return True
    return False


_BUILTIN = (int, float, bool, str, tuple, list, type(None))


def _overrides(kind: type) -> bool:
    disabled = torch._C._disabled_torch_function_impl
    return getattr(kind, "__torch_function__", disabled) is not disabled

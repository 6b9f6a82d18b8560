"""Keeping the modes on where torch would take them off: Python bodies of torch functions, threads,
hooks, scripting.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation

MODULES = (
    "torch.functional",
    "torch.nn.functional",
    "torch._tensor",
    "torch.nn.init",
    "torch._lowrank",
    "torch._lobpcg",
    "torch.nn.modules.activation",
    "torch.nn.modules.transformer",
    "torch.autograd",
)
"""Modules whose functions ask `has_torch_function` first. Answered no for plain tensors, their bodies
run with the modes on.
"""

_PLAIN = (torch.Tensor, torch.nn.Parameter, type(None), int, float, bool, tuple, list)


def install_bodies(sim: Simulation, patches: Patches, modes: Callable[[], Any]) -> None:
    """modes: gives a context manager that switches the modes on in this thread."""
    swapped = _has_torch_function(patches)
    _scripting(patches, swapped)
    _scripted_calls(sim, patches)
    _compiling(patches)
    _threads(patches, modes)
    _saved_tensor_hooks(patches, modes)


def _plain(value: Any) -> bool:
    return type(value) in _PLAIN or getattr(type(value), "__torch_function__", None) in (
        None,
        torch._C._disabled_torch_function_impl,
    )


def _has_torch_function(patches: Patches) -> list[tuple[Any, str, Any, Any]]:
    real_many, real_one = torch._C._has_torch_function, torch._C._has_torch_function_unary
    real_some: Any = torch._C._has_torch_function_variadic

    def many(values: Any) -> bool:
        return not all(map(_plain, values)) and bool(real_many(values))

    def one(value: Any) -> bool:
        return not _plain(value) and bool(real_one(value))

    def some(*values: Any) -> bool:
        return not all(map(_plain, values)) and bool(real_some(*values))

    table = {real_many: many, real_one: one, real_some: some}
    swapped = []
    for module in (sys.modules[name] for name in MODULES if name in sys.modules):
        for name, value in list(vars(module).items()):
            if name.startswith(("has_torch_function", "_has_torch_function")) and value in table:
                patches.set(module, name, table[value])
                swapped.append((module, name, value, table[value]))
    return swapped


def _scripting(patches: Patches, swapped: list[tuple[Any, str, Any, Any]]) -> None:
    """TorchScript compiles the bodies and knows the real checks by identity."""
    real = torch.jit.script

    compiling = False

    def script(*args: Any, **options: Any) -> Any:
        nonlocal compiling
        if compiling:  # it calls itself for the functions that a function calls
            return real(*args, **options)
        compiling = True
        for module, name, original, _ in swapped:
            setattr(module, name, original)
        try:
            return real(*args, **options)
        finally:
            compiling = False
            for module, name, _, replacement in swapped:
                setattr(module, name, replacement)

    patches.set(torch.jit, "script", script)


def _compiling(patches: Patches) -> None:
    """`torch.compile` runs what it is given without compiling it: the results are the same, and no
    kernel is made.
    """
    real = torch.compile

    def compile_(*args: Any, **options: Any) -> Any:
        if not _eager:
            _eager.append(torch.compiler.set_stance("force_eager"))
        return real(*args, **options)

    _eager: list[Any] = []
    patches.set(torch, "compile", compile_)
    patches.later(lambda: torch.compiler.set_stance("default") if _eager else None)


def _scripted_calls(sim: Simulation, patches: Patches) -> None:
    """Inside TorchScript a tensor's device reads as the host: what is made there belongs to the
    operands' side.
    """
    for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
        real: Any = kind.__call__

        def call(self: Any, *args: Any, _real: Any = real, **kwargs: Any) -> Any:
            sim.nesting.calls.append((args, kwargs))
            try:
                return _real(self, *args, **kwargs)
            finally:
                sim.nesting.calls.pop()

        patches.set(kind, "__call__", call)


def _threads(patches: Patches, modes: Callable[[], Any]) -> None:
    """Modes belong to a thread; a new thread starts with those of the simulation."""
    start: Any = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

    def bootstrap(thread: Any) -> Any:
        with modes():
            return start(thread)

    patches.set(threading.Thread, "_bootstrap_inner", bootstrap)


def _saved_tensor_hooks(patches: Patches, modes: Callable[[], Any]) -> None:
    """Hooks are called from the midst of an operator, where torch has taken the upper mode off."""
    autograd: Any = torch._C._autograd
    real = autograd._push_saved_tensors_default_hooks

    def push(pack: Any, unpack: Any) -> None:
        real(_with(modes, pack), _with(modes, unpack))

    patches.set(autograd, "_push_saved_tensors_default_hooks", push)


def _with(modes: Callable[[], Any], hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def hooked(value: Any) -> Any:
        with modes():
            return hook(value)

    return hooked

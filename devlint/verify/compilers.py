"""`torch.jit` and `torch.compile` under the simulation.

TorchScript runs its own interpreter, whose ops the lower mode sees; helpers it makes belong to the side of its
arguments. `torch.compile` runs the Python code as it is: a compiled kernel could not be watched.
"""

from __future__ import annotations

import json
from typing import Any

import torch

from devlint.verify.machine import Machine, device_error
from devlint.verify.patches import Patches

_DEVICES = "devlint_devices.json"


def install(machine: Machine, patches: Patches) -> None:
    for kind in (torch._C.ScriptMethod, torch._C.ScriptFunction):
        patches.set(kind, "__call__", _framed(machine, kind.__call__))
    _keep_devices(machine, patches)
    _run_compiled_code_as_it_is(patches)


def _framed(machine: Machine, real: Any) -> Any:
    def call(function: Any, *args: Any, **kwargs: Any) -> Any:
        owner = getattr(function, "owner", None)
        parameters = tuple(owner().parameters()) if callable(owner) else ()
        machine.thread.frames.append(((args, parameters), kwargs))
        machine.thread.refusal = None
        try:
            return real(function, *args, **kwargs)
        except RuntimeError as error:
            refusal = machine.thread.refusal
            if refusal is None:
                raise
            raise device_error(type(error)(f"{error}{type(refusal).__name__}: {refusal}")) from refusal
        finally:
            machine.thread.frames.pop()

    return call


def _run_compiled_code_as_it_is(patches: Patches) -> None:
    def compiled(model: Any = None, **options: Any) -> Any:
        if model is None:
            return compiled
        if not isinstance(model, torch.nn.Module):
            return model
        from torch._dynamo.eval_frame import OptimizedModule

        return OptimizedModule(model, _AsItIs())

    patches.set(torch, "compile", compiled)
    patches.set(torch.nn.Module, "compile", lambda module, *args, **options: None)


class _AsItIs:
    """Stands where torch keeps the compiler of an optimised module."""

    def __call__(self, call: Any) -> Any:
        return call


def _keep_devices(machine: Machine, patches: Patches) -> None:
    """A TorchScript archive written here carries the devices of its tensors in a file of its own."""
    real_save, real_load = torch.jit.save, torch.jit.load

    def save(m: Any, f: Any, _extra_files: Any = None) -> None:
        devices = {name: str(machine.ledger.device_of(t)) for name, t in m.state_dict().items()}
        real_save(m, f, _extra_files={**(_extra_files or {}), _DEVICES: json.dumps(devices)})

    def load(f: Any, map_location: Any = None, _extra_files: Any = None, **options: Any) -> Any:
        extra = {**(_extra_files or {}), _DEVICES: ""}
        loaded = real_load(f, map_location="cpu", _extra_files=extra, **options)
        devices = json.loads(extra.pop(_DEVICES) or "{}")
        (_extra_files or {}).update(extra)
        for name, tensor in loaded.state_dict().items():
            target = machine.device(map_location or devices.get(name, "cpu"))
            if target is not None:
                machine.ledger.put(tensor, target)
        return loaded

    for module in (torch.jit, torch.jit._serialization):
        patches.set(module, "save", save)
        patches.set(module, "load", load)

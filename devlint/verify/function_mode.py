"""Every torch function that Python calls: moves and factories are carried out here, the rest goes on to
its operators.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from devlint.verify import autocast
from devlint.verify.function_rules import Answer, Check, answers, checks
from devlint.verify.machine import CPU
from devlint.verify.random_streams import check_generator
from devlint.verify.simulation import ACTIVE, Simulation, tensors_in

_USUAL = torch.Tensor.__torch_function__.__func__  # type: ignore[attr-defined]
_DISABLED = torch._C._disabled_torch_function_impl


class Functions(TorchFunctionMode):
    """The upper of the two modes."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__()
        self.simulation = simulation
        self.special: dict[Any, tuple[Answer | None, Check | None]] = {
            **{func: (None, check) for func, check in checks().items()},
            **{func: (answer, None) for func, answer in answers().items()},
        }

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        sim = self.simulation
        nesting = sim.nesting
        if ACTIVE[-1] is not sim or nesting.inside_kernel:
            return func(*args, **kwargs)
        if types and torch._C._is_torch_function_enabled() and (owner := _owner(types)):
            with self:
                out = owner.__torch_function__(func, types, args, kwargs)
            if out is not NotImplemented:
                return out
        special = self.special.get(func)
        if special is not None:
            answer, check = special
            if answer is not None:
                return answer(sim, func, args, kwargs)
            if check is not None:
                check(sim.ledger, args, kwargs)
        if kwargs and ("device" in kwargs or "generator" in kwargs):
            return self.with_options(func, args, kwargs)
        calls = nesting.calls
        calls.append((args, kwargs))
        try:
            if autocast.active():
                return autocast.call(func, args, kwargs, autocast.on_device(sim.ledger, args, kwargs))
            return func(*args, **kwargs)
        finally:
            calls.pop()

    def with_options(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A function that is given a device or a generator."""
        sim = self.simulation
        side: Any = (args, kwargs)
        if kwargs.get("generator") is not None:
            operands = tensors_in(args)
            home = sim.ledger.device(operands[0]) if operands else CPU
            check_generator(kwargs["generator"], home, permutation=False)
        if (target := sim.machine.canonical(kwargs.get("device"))) is not None:
            kwargs, side = {**kwargs, "device": target}, target
        sim.nesting.calls.append(side)
        try:
            if side is not target and autocast.active():
                return autocast.call(func, args, kwargs, autocast.on_device(sim.ledger, args, kwargs))
            return func(*args, **kwargs)
        finally:
            sim.nesting.calls.pop()


def _owner(types: Any) -> Any:
    """The first class among the arguments that handles torch functions itself. Parameters do not."""
    for kind in types:
        handler = getattr(kind, "__torch_function__", None)
        if handler is not _DISABLED and getattr(handler, "__func__", handler) is not _USUAL:
            return kind
    return None

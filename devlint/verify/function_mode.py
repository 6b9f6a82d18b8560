"""Every torch function that Python calls: moves and factories are carried out here, the rest goes on to
its operators.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from devlint.verify import autocast
from devlint.verify.function_rules import answers, checks
from devlint.verify.random_streams import check_generator
from devlint.verify.simulation import ACTIVE, Simulation, tensors_in


class Functions(TorchFunctionMode):
    """The upper of the two modes."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__()
        self.simulation = simulation
        self.answers = answers()
        self.checks = checks()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if ACTIVE[-1] is not self.simulation or self.simulation.nesting.inside_kernel:
            return func(*args, **kwargs)
        if types and torch._C._is_torch_function_enabled() and (owner := _owner(types)):
            with self:
                out = owner.__torch_function__(func, types, args, kwargs)
            if out is not NotImplemented:
                return out
        answer = self.answers.get(func)
        if answer is not None:
            return answer(self.simulation, func, args, kwargs)
        check = self.checks.get(func)
        if check is not None:
            check(self.simulation.ledger, args, kwargs)
        return self.call(func, args, kwargs)

    def call(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A function that its operators decide."""
        sim = self.simulation
        if kwargs:
            if kwargs.get("generator") is not None:
                operands = tensors_in(args)
                target = sim.ledger.device(operands[0]) if operands else sim.machine.canonical("cpu")
                check_generator(kwargs["generator"], target, permutation=False)  # type: ignore[arg-type]
            device = kwargs.get("device")
            if device is not None and (target := sim.machine.canonical(device)) is not None:
                kwargs = {**kwargs, "device": target}
                sim.nesting.calls.append(target)
                try:
                    return func(*args, **kwargs)
                finally:
                    sim.nesting.calls.pop()
        sim.nesting.calls.append((args, kwargs))
        try:
            if autocast.active():
                return autocast.call(func, args, kwargs, autocast.on_device(sim.ledger, args, kwargs))
            return func(*args, **kwargs)
        finally:
            sim.nesting.calls.pop()


def _owner(types: Any) -> Any:
    """The first class among the arguments that handles torch functions itself."""
    plain = torch.Tensor.__torch_function__.__func__  # type: ignore[attr-defined]
    for kind in types:
        handler = getattr(kind, "__torch_function__", None)
        if getattr(handler, "__func__", handler) is not plain:
            return kind
    return None

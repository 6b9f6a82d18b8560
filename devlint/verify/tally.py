"""How much was computed where: operations and floating-point operations by device and by line of the
program.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

from devlint.verify.places import Place

aten = torch.ops.aten

UNCOUNTED = {
    getattr(aten, name)
    for name in [
        "copy_",
        "_to_copy",
        "clone",
        "detach",
        "detach_",
        "lift_fresh",
        "lift",
        "alias",
        "empty",
        "empty_like",
        "empty_strided",
        "_local_scalar_dense",
        "set_",
        "zeros",
        "ones",
        "full",
        "zeros_like",
        "ones_like",
        "full_like",
        "new_zeros",
        "new_ones",
        "new_empty",
        "new_full",
        "new_empty_strided",
        "scalar_tensor",
        "uniform_",
        "normal_",
        "random_",
        "exponential_",
        "log_normal_",
        "cauchy_",
        "geometric_",
        "zero_",
        "fill_",
        "resize_",
        "is_same_size",
        "_unsafe_view",
        "_reshape_alias",
        "record_stream",
    ]
    if hasattr(aten, name)
}
"""Moves, views, allocations and their filling: bookkeeping, not computing."""


@dataclass(slots=True)
class Work:
    """Computing done, on one line or in all."""

    host_ops: int = 0
    device_ops: int = 0
    host_flops: int = 0
    device_flops: int = 0

    @property
    def flops(self) -> int:
        """Floating-point operations that a formula counts."""
        return self.host_flops + self.device_flops

    @property
    def share(self) -> float:
        """Part of the work done on accelerators, 0 to 1: of the FLOPs, or of the operations where no
        formula counts any.
        """
        if self.flops:
            return self.device_flops / self.flops
        return self.device_ops / max(1, self.host_ops + self.device_ops)


@dataclass
class Tally:
    """The work of a whole run."""

    total: Work = field(default_factory=Work)
    lines: dict[Place, Work] = field(default_factory=dict)
    timeline: list[list[Any]] = field(default_factory=list)
    """[seconds since the start, "cpu" or a device, operations]: one entry per stretch on one side."""
    started: float = field(default_factory=time.perf_counter)
    _side: str = ""
    _stretch: list[Any] = field(default_factory=list)

    def count(
        self, formula: Callable[..., int] | None, args: Any, kwargs: Any, out: Any, side: str, place: Place
    ) -> None:
        """Count one operation that ran on a side ("cpu" is the host)."""
        work = self.lines.get(place)
        if work is None:
            work = self.lines[place] = Work()
        flops = _applied(formula, args, kwargs, out) if formula else 0
        total = self.total
        if side == "cpu":
            work.host_ops += 1
            total.host_ops += 1
            work.host_flops += flops
            total.host_flops += flops
        else:
            work.device_ops += 1
            total.device_ops += 1
            work.device_flops += flops
            total.device_flops += flops
        if side == self._side:
            self._stretch[2] += 1
        else:
            self._side = side
            self._stretch = [time.perf_counter() - self.started, side, 1]
            self.timeline.append(self._stretch)

    def reset(self) -> None:
        """Start counting anew."""
        self.total, self.lines, self.timeline, self._side = Work(), {}, [], ""
        self.started = time.perf_counter()


@cache
def formulas() -> dict[Any, Callable[..., int]]:
    """Torch's formulas by operator, torch.utils.flop_counter.flop_registry."""
    log = logging.getLogger("torch.utils.flop_counter")
    level = log.level
    log.setLevel(logging.ERROR)  # it warns of a missing Triton when it is imported
    try:
        from torch.utils.flop_counter import flop_registry
    finally:
        log.setLevel(level)
    return dict(flop_registry)


def _applied(formula: Callable[..., int], args: Sequence[Any], kwargs: dict[str, Any], out: Any) -> int:
    if torch._C._get_tracing_state() is not None:
        return 0  # torch.jit.trace would record the arithmetic on sizes as part of the program
    try:
        inner = getattr(formula, "__wrapped__", None)
        if inner is not None and not kwargs and type(out) is torch.Tensor:
            # what torch's wrapper does with the whole tree of arguments, for those that are not nested
            shapes = [value.shape if isinstance(value, torch.Tensor) else value for value in args]
            return int(inner(*shapes, out_shape=out.shape))
        return int(formula(*args, **kwargs, out_val=out))
    except Exception:  # the formula does not know this form of the operator: torch's fault, not the program's
        return 0

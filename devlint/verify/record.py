"""What the program did: operations, floating-point operations and transfers, by line and by side."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from devlint.verify.places import Place

_MAX_SEGMENTS = 4000


@dataclass(slots=True)
class Work:
    """Operations and floating-point operations of one line, on the host and on the accelerator."""

    host_ops: int = 0
    device_ops: int = 0
    host_flops: int = 0
    device_flops: int = 0
    host_names: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Transfer:
    """All transfers of one line in one direction; `direction` reads "cpu -> cuda:0"."""

    place: Place | None
    direction: str
    count: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Segment:
    """A stretch of the timeline spent on one side; seconds since the start of the record."""

    start: float
    end: float
    on_device: bool


@dataclass(slots=True)
class ModuleUse:
    """A module that was called, and where its parameters were at its first call."""

    name: str
    place: Place | None
    parameters: int
    on_host: tuple[str, ...]


class Record:
    """The counters behind the report; `share` is the figure that `--min-share` is held against."""

    def __init__(self) -> None:
        self.work: dict[Place | None, Work] = {}
        self.transfers: dict[tuple[Place | None, str], Transfer] = {}
        self.segments: list[Segment] = []
        self.modules: list[ModuleUse] = []
        self._start = time.perf_counter()

    def operation(self, place: Place | None, name: str, flops: int, on_device: bool) -> None:
        work = self.work.get(place)
        if work is None:
            work = self.work[place] = Work()
        if on_device:
            work.device_ops += 1
            work.device_flops += flops
        else:
            work.host_ops += 1
            work.host_flops += flops
            work.host_names[name] += 1
        now = time.perf_counter() - self._start
        last = self.segments[-1] if self.segments else None
        if last is not None and (last.on_device is on_device or len(self.segments) >= _MAX_SEGMENTS):
            last.end = now
        else:
            self.segments.append(Segment(last.end if last else 0.0, now, on_device))

    def transfer(self, place: Place | None, source: object, target: object, size: int) -> None:
        direction = f"{source} -> {target}"
        row = self.transfers.get((place, direction))
        if row is None:
            row = self.transfers[place, direction] = Transfer(place, direction)
        row.count += 1
        row.bytes += size

    @property
    def ops(self) -> tuple[int, int]:
        """Tensor operations on the host and on the accelerator."""
        return sum(w.host_ops for w in self.work.values()), sum(w.device_ops for w in self.work.values())

    @property
    def flops(self) -> tuple[int, int]:
        """Floating-point operations that a formula counts, on the host and on the accelerator."""
        return sum(w.host_flops for w in self.work.values()), sum(w.device_flops for w in self.work.values())

    @property
    def share(self) -> float:
        """Part of the floating-point operations that ran on the accelerator; of the operations, where none are counted."""
        host, device = self.flops if any(self.flops) else self.ops
        return device / (host + device) if host + device else 0.0

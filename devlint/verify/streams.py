"""Streams and events. The simulated device finishes each op before the next begins, so waiting is free."""

from __future__ import annotations

import time
from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.machine import Machine, fail
from devlint.verify.patches import Patches
from devlint.verify.simulation_error import SimulationError

_RealStream, _RealEvent = torch.Stream, torch.Event
_CUDA = 1
"""c10::DeviceType::CUDA."""


class Stream(_RealStream):
    """`torch.cuda.Stream`: has a device and a number, and is always idle."""

    machine: Machine
    _made = 0

    def __new__(cls, device: Any = None, priority: int = 0, stream_id: int | None = None, **_: Any) -> Any:
        place = cls.machine.device("cuda" if device is None else device)
        if place is None or place.type != "cuda":
            fail(messages.NOT_CUDA)
        if stream_id is None:
            Stream._made += 1
            stream_id = Stream._made
        return super().__new__(cls, stream_id=stream_id, device_index=place.index, device_type=_CUDA)

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.priority = priority

    @property
    def cuda_stream(self) -> int:
        """Where torch gives the address of a cudaStream_t."""
        return self.stream_id << 8

    @property
    def native_handle(self) -> int:
        return self.cuda_stream

    @classmethod
    def current(cls, machine: Machine, device: Any = None) -> Stream:
        """The current stream of a device, the default one until another is set."""
        place = machine.device("cuda" if device is None else device)
        assert place is not None
        streams = machine.thread.streams
        if place.index not in streams:
            streams[place.index] = cls.default(machine, place)
        found: Stream = streams[place.index]
        return found

    @classmethod
    def default(cls, machine: Machine, device: Any = None) -> Stream:
        made: Stream = cls(device, stream_id=0)
        return made

    def query(self) -> bool:
        return True

    def synchronize(self) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...

    def is_capturing(self) -> bool:
        return False

    def record_event(self, event: Any = None) -> Any:
        event = Event() if event is None else event
        event.record(self)
        return event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.stream_id, self.device) == (other.stream_id, other.device)

    def __hash__(self) -> int:
        return hash((self.stream_id, self.device))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"

    def __enter__(self) -> Stream:
        self._before = Stream.current(self.machine)
        set_stream(self)
        return self

    def __exit__(self, *_: object) -> None:
        set_stream(self._before)


class Event(_RealEvent):
    """`torch.cuda.Event`: remembers when it was recorded, on the host's clock."""

    device: Any = None
    _recorded: float | None = None

    def __new__(cls, *_: Any, **__: Any) -> Any:
        return super().__new__(cls, device="cpu")

    def __init__(self, enable_timing: bool = False, *_: Any, **__: Any) -> None:
        self.enable_timing = enable_timing
        self.cuda_event = id(self)

    def record(self, stream: Any = None) -> None:
        self._recorded = time.perf_counter()
        self.device = getattr(stream, "device", None) or Stream.current(Stream.machine).device

    def wait(self, stream: Any = None) -> None: ...

    def query(self) -> bool:
        return True

    def synchronize(self) -> None: ...

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds between two recorded events."""
        if not (self.enable_timing and end.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._recorded is None or end._recorded is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end._recorded - self._recorded) * 1000.0

    def ipc_handle(self) -> bytes:
        raise SimulationError("sharing an event between processes")

    def __repr__(self) -> str:
        return f"<torch.cuda.Event {self.cuda_event:#x}>" if self._recorded else "<torch.cuda.Event uninitialized>"


def set_stream(stream: Any) -> None:
    if stream is not None and stream.device is not None:
        Stream.machine.thread.streams[stream.device.index] = stream


class StreamContext:
    """`with torch.cuda.stream(s):` makes `s` and its device current."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            thread = Stream.machine.thread
            self._before = Stream.current(Stream.machine, self.stream.device), thread.current
            thread.current = self.stream.device.index
            set_stream(self.stream)

    def __exit__(self, *_: object) -> None:
        if self.stream is not None:
            stream, Stream.machine.thread.current = self._before
            set_stream(stream)


def install(machine: Machine, patches: Patches) -> None:
    patches.set(Stream, "machine", machine)
    for owner in (torch.cuda, torch.cuda.streams):
        patches.set(owner, "Stream", Stream)
        patches.set(owner, "ExternalStream", Stream)
        patches.set(owner, "Event", Event)
    patches.set(torch.cuda, "StreamContext", StreamContext)
    patches.set(torch.cuda, "stream", lambda stream: StreamContext(stream))
    patches.set(torch.cuda, "set_stream", set_stream)
    patches.set(torch.cuda, "current_stream", lambda device=None: Stream.current(machine, device))
    patches.set(torch.cuda, "default_stream", lambda device=None: Stream.default(machine, device))
    patches.set(torch, "Stream", _of_device(_RealStream, Stream))
    patches.set(torch, "Event", _of_device(_RealEvent, Event))


def _of_device(real: Any, simulated: Any) -> Any:
    """`torch.Stream` and `torch.Event`: of the accelerator unless another device is named."""

    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, real)

        def __call__(cls, device: Any = None, **options: Any) -> Any:
            if device is not None and torch.device(device).type != "cuda":
                return real(device, **options)
            return simulated(device=device, **options)

    return Kind(real.__name__, (), {"__doc__": real.__doc__})

"""Streams and events. Host arithmetic is done when it returns, so everything is always finished; time
is real time.
"""

from __future__ import annotations

import time
from typing import Any, cast

import torch

from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation


class Event:
    """Stands for torch.cuda.Event and torch.Event."""

    def __init__(
        self,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> None:
        self.enable_timing, self.blocking, self.interprocess = enable_timing, blocking, interprocess
        self.device = torch.device("cuda", torch.cuda.current_device())
        self.cuda_event = self.event_id = id(self)
        self._time: float | None = None

    def record(self, stream: Any = None) -> None:
        """The time of now."""
        self._time = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Nothing to wait for."""

    def query(self) -> bool:
        """Always done."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between two recorded events."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end_event._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return max(0.0, (end_event._time - self._time) * 1000)

    def __repr__(self) -> str:
        return f"<torch.cuda.Event {self.cuda_event:#x}>" if self._time else "<torch.cuda.Event uninitialized>"


class Stream:
    """Stands for torch.cuda.Stream and torch.Stream."""

    def __init__(self, device: Any = None, priority: int = 0, **options: Any) -> None:
        index = (
            torch.cuda.current_device()
            if device is None
            else torch.cuda._utils._get_device_index(device, optional=True)
        )
        self.device = torch.device("cuda", index)
        self.device_index, self.device_type, self.priority = index, 1, priority
        self.cuda_stream = self.stream_id = options.get("stream_id", id(self))
        self._before: list[Any] = []

    def record_event(self, event: Any = None) -> Any:
        """An event recorded now."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Any) -> None:
        """Nothing to wait for."""

    def wait_stream(self, stream: Any) -> None:
        """Nothing to wait for."""

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def query(self) -> bool:
        """Always done."""
        return True

    def is_capturing(self) -> bool:
        """There are no graphs here."""
        return False

    def __enter__(self) -> Stream:
        self._before.append(torch.cuda.current_stream())
        torch.cuda.set_stream(cast(Any, self))
        return self

    def __exit__(self, *_: Any) -> None:
        torch.cuda.set_stream(self._before.pop())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.device, self.stream_id) == (other.device, other.stream_id)

    def __hash__(self) -> int:
        return hash((self.device, self.stream_id))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class StreamContext:
    """`with torch.cuda.stream(s)`; None does nothing. Like CUDA's, it makes the stream's device current."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self._device = torch.cuda.current_device()
            self._stream = torch.cuda.current_stream(self.stream.device)
            torch.cuda.set_stream(self.stream)

    def __exit__(self, *_: Any) -> None:
        if self.stream is not None:
            torch.cuda.set_stream(self._stream)
            torch.cuda.set_device(self._device)


def install_streams(sim: Simulation, patches: Patches) -> None:
    """Replace the classes and the functions that name the current stream."""
    defaults = [_default(index) for index in range(len(sim.machine.devices))]
    current = dict(enumerate(defaults))

    def current_stream(device: Any = None) -> Any:
        return current[sim.machine.ordinal(device)]

    def set_stream(stream: Any) -> None:
        if stream is not None:
            current[stream.device_index] = stream
            sim.machine.current = stream.device_index

    values = {
        "Stream": Stream,
        "Event": Event,
        "ExternalStream": Stream,
        "StreamContext": StreamContext,
        "stream": StreamContext,
        "current_stream": current_stream,
        "default_stream": lambda device=None: defaults[sim.machine.ordinal(device)],
        "set_stream": set_stream,
    }
    patches.set_all(torch.cuda, values)
    patches.set_all(torch.cuda.streams, {"Stream": Stream, "Event": Event, "ExternalStream": Stream})
    patches.set_all(
        torch.accelerator,
        {
            "current_stream": lambda device=None: current_stream(device),
            "set_stream": lambda stream: set_stream(stream),
        },
    )
    patches.set(torch.Tensor, "record_stream", lambda tensor, stream: None)
    patches.set(torch, "Stream", _for_any(torch.Stream, Stream))
    patches.set(torch, "Event", _for_any(torch.Event, Event))


def _default(index: int) -> Stream:
    stream = Stream.__new__(Stream)
    stream.device, stream.device_index, stream.device_type = torch.device("cuda", index), index, 1
    stream.priority, stream.cuda_stream, stream.stream_id, stream._before = 0, 0, 0, []
    return stream


def _for_any(real: Any, simulated: Any) -> type:
    class Kind(type):
        def __call__(cls, device: Any = None, *args: Any, **options: Any) -> Any:
            if device is None or torch.device(device).type == "cuda":
                return simulated(device, *args, **options)
            return real(device, *args, **options)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, (real, simulated))

    return Kind(real.__name__, (), {"__module__": "torch", "__doc__": real.__doc__})

"""The machine that is simulated: its devices, which of them is current, and what is known while an op runs."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import torch
import torch.utils._device

from devlint.verify import messages
from devlint.verify.ledger import HOST, UNDECIDED, Ledger

GIBIBYTE = 2**30


@dataclass(frozen=True)
class Hardware:
    """What each simulated device says of itself: a current data-centre GPU, so that no feature test fails."""

    name: str = "Simulated CUDA device"
    capability: tuple[int, int] = (9, 0)
    memory: int = 80 * GIBIBYTE
    multiprocessors: int = 132
    cuda: str = "12.8"


class PerThread(threading.local):
    """State of one thread: CUDA keeps its current device per thread, and ops nest per thread."""

    def __init__(self) -> None:
        self.frames: list[Any] = []
        """Innermost last: the device, or the (args, kwargs), of each torch function that is running."""
        self.current = 0
        self.streams: dict[int, Any] = {}
        """The current CUDA stream of each device."""
        self.refusal: BaseException | None = None
        """The last device error; TorchScript's interpreter drops its text."""
        self.destination: torch.device | None = None
        """Where the result of the copy that is running belongs."""


class Machine:
    """One CPU and `count` CUDA devices."""

    def __init__(self, count: int, hardware: Hardware | None = None, *, own_random_stream: bool = True) -> None:
        self.count = count
        self.hardware = hardware or Hardware()
        self.own_random_stream = own_random_stream
        self.ledger = Ledger()
        self.thread = PerThread()
        self.cuda = [torch.device("cuda", index) for index in range(count)]
        self.default_type_device: torch.device | None = None
        """The device of `torch.set_default_tensor_type(torch.cuda.FloatTensor)`."""
        self.generators: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        """Generators on a device, by the address of torch's object: an op gets that object in another wrapper."""
        self.streams: list[Any] = []
        """The default generator of each device."""
        self._initialised_by: int | None = None

    def device(self, wanted: Any) -> torch.device | None:
        """The one object that stands for a device, with its index, as a CUDA machine resolves it.

        Raises torch's error for an ordinal that does not exist and for CUDA in a forked child.
        """
        if wanted is None:
            return None
        if isinstance(wanted, int) and not isinstance(wanted, bool):
            wanted = torch.device("cuda", wanted)
        elif not isinstance(wanted, torch.device):
            wanted = torch.device(wanted)
        if wanted.type == "cpu":
            return HOST
        if wanted.type != "cuda":
            return wanted  # type: ignore[no-any-return]
        self.initialise()
        index = self.thread.current if wanted.index is None else wanted.index
        if index >= self.count:
            raise accelerator_error(messages.ORDINAL)
        return self.cuda[index]

    def initialise(self) -> None:
        """The first touch of CUDA; raises in a child forked after it."""
        if self._initialised_by is None:
            self._initialised_by = os.getpid()
        elif self._initialised_by != os.getpid():
            raise device_error(RuntimeError(messages.FORKED))

    @property
    def initialised(self) -> bool:
        return self._initialised_by == os.getpid()

    @property
    def in_bad_fork(self) -> bool:
        return self._initialised_by is not None and self._initialised_by != os.getpid()

    def default_device(self) -> torch.device:
        """Where a factory function without `device=` makes its tensor."""
        chosen = torch.utils._device.CURRENT_DEVICE
        if chosen is not None:
            return self.device(chosen) or HOST
        return self.default_type_device or HOST

    def side_of_helpers(self) -> torch.device:
        """Where a tensor belongs that torch makes without saying where: the side of the op that runs."""
        frames = self.thread.frames
        if frames:
            frame = frames[-1]
            return frame if isinstance(frame, torch.device) else self._side_of(frame)
        if torch._C._current_graph_task_id() != -1:
            return UNDECIDED
        return self.default_type_device or HOST

    def _side_of(self, frame: tuple[Any, Any]) -> torch.device:
        found = HOST
        for tensor in tensors_in(*frame):
            device = self.ledger.device_of(tensor)
            if device.type == "cuda":
                return device
            found = device
        return found

    @contextmanager
    def making(self, device: torch.device) -> Iterator[None]:
        """Tensors that torch makes in this block belong to `device`."""
        self.thread.frames.append(device)
        try:
            yield
        finally:
            self.thread.frames.pop()

    def refuse_memory(self, size: int, device: torch.device) -> None:
        """Raise CUDA's out-of-memory error where `size` bytes more do not fit on `device`."""
        used = self.ledger.allocated[device]
        if used + size > self.hardware.memory:
            text = messages.OUT_OF_MEMORY.format(
                wanted=messages.gibibytes(size),
                index=device.index,
                total=messages.gibibytes(self.hardware.memory),
                free=messages.gibibytes(self.hardware.memory - used),
                allocated=messages.gibibytes(used),
            )
            raise device_error(torch.OutOfMemoryError(text))


def tensors_in(*values: Any) -> Iterator[torch.Tensor]:
    """The tensors in arguments of an op, lists and dicts included."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(*value)
        elif isinstance(value, dict):
            yield from tensors_in(*value.values())


def device_error(error: BaseException) -> BaseException:
    """Mark an exception as a device bug, so that the runner can tell it from the program's other failures."""
    error.devlint_device_error = True  # type: ignore[attr-defined]
    return error


def accelerator_error(text: str) -> BaseException:
    """CUDA's own error type (torch 2.8 and later), a RuntimeError before."""
    return device_error(getattr(torch, "AcceleratorError", RuntimeError)(text))


def fail(text: str, kind: type[BaseException] = RuntimeError) -> NoReturn:
    """Raise torch's error `text` as a device bug."""
    raise device_error(kind(text))

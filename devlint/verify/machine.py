"""The pretended machine: how many CUDA devices it has, which one is current, and the state CUDA itself
would be in.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import torch

from devlint.verify import messages

CPU = torch.device("cpu")
UNDECIDED = torch.device("meta", 127)
"""Side of a helper tensor that torch makes inside an operation: it joins the first operand it meets."""

MEMORY_BYTES = 16 * 2**30
"""Memory of each simulated device, in bytes."""


class Machine:
    """Devices, the current device of each thread, and what only CUDA knows: fork safety and failed
    kernels.
    """

    def __init__(self, devices: int) -> None:
        if devices < 1:
            raise ValueError(f"a simulated machine needs at least one device, got {devices}")
        self.devices = [torch.device("cuda", index) for index in range(devices)]
        self.initialized = False
        self.assert_triggered = False
        self._local = threading.local()
        self._process = os.getpid()
        self._initialized_before_fork = False

    @property
    def current(self) -> int:
        """Index of this thread's current device."""
        return int(getattr(self._local, "current", 0))

    @current.setter
    def current(self, index: int) -> None:
        self._local.current = index

    def canonical(self, device: Any) -> torch.device | None:
        """The device with an index where CUDA would fill one in; None stays None.

        Raises torch.AcceleratorError for an ordinal that does not exist, as CUDA does.
        """
        if device is None:
            return None
        if isinstance(device, int) and not isinstance(device, bool):
            device = torch.device("cuda", device if device >= 0 else self.current)
        elif not isinstance(device, torch.device):
            device = torch.device(device)
        if device.type != "cuda":
            return CPU if device.type == "cpu" else device
        self.touch()
        index = self.current if device.index is None else device.index
        if index >= len(self.devices):
            raise torch.AcceleratorError(messages.INVALID_ORDINAL)
        return self.devices[index]

    def ordinal(self, device: Any) -> int:
        """Index of the device that a `torch.cuda` query asks for; AssertionError for one that does not
        exist.
        """
        if device is None:
            return self.current
        if not isinstance(device, int):
            device = torch.device(device)
            if device.type != "cuda":
                raise ValueError(f"Expected a cuda device, but got: {device}")
            device = self.current if device.index is None else device.index
        if not 0 <= device < len(self.devices):
            raise AssertionError("Invalid device id")
        return int(device)

    def touch(self) -> None:
        """CUDA is used now: raises where CUDA would refuse, in a forked child or after a device-side
        assert.
        """
        if self._initialized_before_fork and self._process != os.getpid():
            raise RuntimeError(messages.BAD_FORK)
        if self.assert_triggered:
            raise torch.AcceleratorError(messages.DEVICE_ASSERT)
        if not self.initialized:
            self.initialized = True
            self.poison_fork()

    def poison_fork(self) -> None:
        """The driver was asked: from now on a forked child may not use CUDA."""
        if self._process == os.getpid():
            self._initialized_before_fork = True

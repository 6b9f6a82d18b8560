"""Telling a device error from any other failure of a program, and showing it as the user's own lines."""

from __future__ import annotations

import linecache
import traceback
from dataclasses import dataclass, field
from types import TracebackType

from devlint.verify.operands import MixedDevices
from devlint.verify.places import is_user_file
from devlint.verify.simulation_error import SimulationError

TEXTS = (
    "to be on the same device",
    "be on the same device",
    "to be on same device",
    "be on same device",
    "on the same device as the indexed tensor",
    "not at the same device",
    "have the same device type",
    "should have same device type",
    "should be the same",
    "different from other tensors on",
    "device type tensor to numpy",
    "is only implemented on CPU tensors",
    "device type for generator but found",
    "generator device but found",
    "lengths' argument should be a 1D CPU",
    "only dense CPU tensors can be pinned",
    "legacy constructor expects device type",
    "invalid device ordinal",
    "Invalid device id",
    "Invalid device, must be cuda device",
    "device-side assert triggered",
    "CUDA error",
    "CUDA out of memory",
    "not compiled with CUDA",
    "not linked with support for",
    "Attempting to deserialize object on",
    "Cannot re-initialize CUDA",
    "located on a different device",
    "invalid gradient at index",
    "Cannot copy out of meta tensor",
    "Found no NVIDIA driver",
    "must match device of",
    "too many CPU scalars",
    "can't optimize a non-leaf Tensor",
)
"""Parts of torch's messages about devices."""


@dataclass(frozen=True, slots=True)
class Failure:
    """How a program ended that did not run to its end."""

    type: str
    message: str
    device_error: bool
    """Whether it is about devices, so that the program would fail on an accelerator for this reason."""
    lines: tuple[tuple[str, int, str, str], ...] = ()
    """The user's frames, outermost first: file, line, function, source text."""
    mixed: MixedDevices | None = None
    trace: str = field(default="", repr=False)

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Read an exception that the program let through."""
        text = str(error)
        about_devices = not isinstance(error, (SimulationError, SystemExit)) and any(part in text for part in TEXTS)
        return cls(
            type=type(error).__name__,
            message=text,
            device_error=about_devices,
            lines=_user_lines(error.__traceback__),
            mixed=_mixed(error),
            trace="".join(traceback.format_exception(error)),
        )

    def __str__(self) -> str:
        """The reduced traceback, torch's message, and the operands."""
        parts = ["Traceback (your lines only, most recent call last):"] if self.lines else []
        for file, line, function, source in self.lines:
            parts.append(f'  File "{file}", line {line}, in {function}')
            if source:
                parts.append(f"    {source}")
        parts.append(f"{self.type}: {self.message}" if self.message else self.type)
        if self.mixed:
            parts.append(f"operands of {self.mixed.operation}:")
            parts.extend(f"  {operand}" for operand in self.mixed.operands)
        return "\n".join(parts)


def _user_lines(trace: TracebackType | None) -> tuple[tuple[str, int, str, str], ...]:
    found = []
    for frame, line in traceback.walk_tb(trace):
        code = frame.f_code
        if is_user_file(code.co_filename):
            source = linecache.getline(code.co_filename, line).strip()
            found.append((code.co_filename, line, code.co_name, source))
    return tuple(found)


def _mixed(error: BaseException | None) -> MixedDevices | None:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        mixed = error.__dict__.get("mixed_devices")
        if isinstance(mixed, MixedDevices):
            return mixed
        error = error.__cause__ or error.__context__
    return None

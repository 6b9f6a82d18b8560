"""Telling a device bug from the program's other failures, and showing it by the user's lines."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass, field

from devlint.verify.places import is_user_file

_DEVICE_TEXT = re.compile(
    r"same device|device ordinal|different device|expected device|device type|invalid device id"
    r"|\bCUDA\b|\bcuda:\d|torch\.cuda\.|accelerator|map_location"
    r"|can't optimize a non-leaf Tensor|optimizer got an empty parameter list|to numpy|not at the same device"
    r"|object has no attribute '(to|cuda|cpu|is_cuda|device)'",
    re.IGNORECASE,
)
"""Texts of torch's device errors; "non-leaf" and "empty" are what a moved parameter gives, "no attribute 'to'" a moved list."""


@dataclass(frozen=True)
class ErrorShown:
    """An exception as a user wants to read it; `operands` has one line for each of the two that disagree."""

    type: str
    message: str
    device_error: bool
    lines: tuple[str, ...] = ()
    operands: tuple[str, ...] = field(default=())


def is_device_error(error: BaseException) -> bool:
    if getattr(error, "devlint_device_error", False):
        return True
    if isinstance(error, (AssertionError, KeyError, ImportError, SyntaxError, NameError, SystemExit)):
        return isinstance(error, AssertionError) and "CUDA" in str(error)
    return _DEVICE_TEXT.search(str(error)) is not None


def shown(error: BaseException) -> ErrorShown:
    """The error with its traceback reduced to the user's lines, innermost last."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_user_file(f.filename)]
    lines = tuple(f"  {f.filename}:{f.lineno} in {f.name}\n    {f.line}" for f in frames)
    notes = tuple(getattr(error, "__notes__", ()))
    return ErrorShown(type(error).__name__, str(error), is_device_error(error), lines, notes)


def as_text(error: ErrorShown) -> str:
    """What `devlint verify` prints: place, torch's message, the operands."""
    title = "device error" if error.device_error else "the program failed"
    parts = [f"devlint verify: {title}", *error.lines, f"{error.type}: {error.message}"]
    return "\n".join(parts + [f"  {line}" for line in error.operands])

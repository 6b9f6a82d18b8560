"""Where in the user's program something happened, found cheaply.

A place is kept as a code object and an instruction offset: the line number is worked out when somebody asks.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

_OURS = str(Path(__file__).resolve().parent)
_FOREIGN = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}) + (
    _OURS,
    "<frozen",
    "<string>",
)
_is_user_code: dict[CodeType, bool] = {}


class Place(NamedTuple):
    """A point in the user's program."""

    code: CodeType
    offset: int

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def line(self) -> int:
        for start, end, line in self.code.co_lines():
            if start <= self.offset < end and line is not None:
                return line
        return self.code.co_firstlineno

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


def user_place() -> Place | None:
    """The innermost line of user code that is running now, or None (torch's own threads)."""
    frame = user_frame(sys._getframe(1))
    return None if frame is None else Place(frame.f_code, frame.f_lasti)


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame, from `frame` outwards, that belongs to the user."""
    known = _is_user_code
    while frame is not None:
        code = frame.f_code
        mine = known.get(code)
        if mine is None:
            mine = known[code] = is_user_file(code.co_filename)
        if mine:
            return frame
        frame = frame.f_back
    return None


def is_user_file(filename: str) -> bool:
    """Whether a file belongs to the user: neither Python's, nor an installed package's, nor ours."""
    return not filename.startswith(_FOREIGN)

"""Where in the user's program something happened, found cheaply.

A place is kept as a code object and an instruction offset: the line number is worked out when somebody asks.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import CodeType, FrameType

_OURS = str(Path(__file__).resolve().parent)
_FOREIGN = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}) + (
    _OURS,
    "<frozen",
    "<string>",
)


class Place:
    """A point in the user's program. There is one object for each point, so places compare by identity."""

    __slots__ = ("code", "offset")

    def __init__(self, code: CodeType, offset: int) -> None:
        self.code, self.offset = code, offset

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


# Keyed by id, since hashing a code object hashes its whole content; each value keeps its code object alive.
_seen: dict[int, tuple[CodeType, bool]] = {}
_places: dict[tuple[int, int], Place] = {}


def user_place(depth: int = 1) -> Place | None:
    """The innermost line of user code that is running now, or None (torch's own threads).

    `depth` frames nearest the caller are known not to be the user's.
    """
    frame: FrameType | None = sys._getframe(depth)
    seen = _seen
    while frame is not None:
        code = frame.f_code
        key = id(code)
        known = seen.get(key)
        if known is None:
            known = seen[key] = (code, is_user_file(code.co_filename))
        if known[1]:
            offset = frame.f_lasti
            place = _places.get((key, offset))
            if place is None:
                place = _places[key, offset] = Place(code, offset)
            return place
        frame = frame.f_back
    return None


def is_user_file(filename: str) -> bool:
    """Whether a file belongs to the user: neither Python's, nor an installed package's, nor ours."""
    return not filename.startswith(_FOREIGN)

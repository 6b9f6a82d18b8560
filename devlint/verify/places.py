"""Where in the user's own code something happens: the innermost frame that is neither torch's, nor
ours, nor a library's.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from types import CodeType, FrameType
from typing import NamedTuple


class Place(NamedTuple):
    """A line of the user's code."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


NOWHERE = Place("", 0)

_LIBRARIES = tuple(
    os.path.realpath(folder) + os.sep
    for folder in {
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    }
)


@cache
def is_user_file(name: str) -> bool:
    """Whether the file is a program's own, not of a library."""
    return not name.startswith("<") and not os.path.realpath(name).startswith(_LIBRARIES)


_mine: dict[int, CodeType] = {}
_others: dict[int, CodeType] = {}
"""Code objects by id (hashing one reads it whole); held, so that an id stays theirs."""


def user_place(depth: int = 1) -> Place:
    """The innermost line of user code that led here; `NOWHERE` where there is none (an import, a
    library's thread).
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        key = id(code)
        if key not in _others and (key in _mine or _sorted(key, code)):
            return Place(code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return NOWHERE


def _sorted(key: int, code: CodeType) -> bool:
    mine = is_user_file(code.co_filename)
    (_mine if mine else _others)[key] = code
    return mine

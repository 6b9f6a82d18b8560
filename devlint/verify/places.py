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


_SITES = frozenset(("site-packages", "dist-packages"))
"""Folders of libraries, of other installations too: a virtual environment may see those of another one."""


@cache
def is_user_file(name: str) -> bool:
    """Whether the file is a program's own, not of a library."""
    if name.startswith("<"):
        return False
    path = os.path.realpath(name)
    return not path.startswith(_LIBRARIES) and _SITES.isdisjoint(path.split(os.sep))


_mine: dict[int, bool] = {}
"""Whether a code object is of a user file, by its id (hashing one reads it whole)."""
_places: dict[tuple[int, int], Place] = {}
_held: list[CodeType] = []
"""The code objects of `_mine`, so that an id stays theirs."""


def user_place(depth: int = 1) -> Place:
    """The innermost line of user code that led here; `NOWHERE` where there is none (an import, a
    library's thread).
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        mine = _mine.get(id(code))
        if mine is None:
            mine = _learned(code)
        if mine:
            key = (id(code), frame.f_lineno)
            return _places.get(key) or _places.setdefault(key, Place(code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return NOWHERE


def _learned(code: CodeType) -> bool:
    mine = _mine[id(code)] = is_user_file(code.co_filename)
    _held.append(code)
    return mine

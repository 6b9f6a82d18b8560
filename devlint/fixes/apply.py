"""Putting fixes into a text: each fix as a whole or not at all, and the text between them untouched."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence

from devlint.finding import Edit, Fix


def apply_fixes(text: str, fixes: Iterable[Fix], newline: str = "\n") -> tuple[str, list[Fix]]:
    """The text with the fixes in it, and the fixes that were applied.

    Of two fixes that want to change the same characters the first wins; the other is left for a later pass.
    An edit that two fixes share is made once; different insertions at one place keep the order of the fixes.
    newline: what a line end in an edit becomes.
    """
    taken = _Taken()
    applied = [fix for fix in fixes if taken.take(fix.edits)]
    return _rewritten(text, taken.edits, newline), applied


class _Taken:
    """The edits that will be made; no two of them touch the same characters."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self._known: set[Edit] = set()

    def take(self, edits: Sequence[Edit]) -> bool:
        """Take all of a fix's edits, or none and return False."""
        new = [edit for edit in dict.fromkeys(edits) if edit not in self._known]
        if any(self._clashes(edit) for edit in new) or _clash_among(new):
            return False
        for edit in new:
            insort(self.edits, edit, key=_order)
        self._known.update(new)
        return True

    def _clashes(self, edit: Edit) -> bool:
        # Replacements lie apart, so only the nearest one on the left can reach into `edit`;
        # insertions at one place may pile up in between.
        index = bisect_left(self.edits, _order(edit), key=_order)
        left = index - 1
        while left >= 0 and self.edits[left].start == self.edits[left].end:
            if _touch(self.edits[left], edit):
                return True
            left -= 1
        if left >= 0 and _touch(self.edits[left], edit):
            return True
        right = index
        while right < len(self.edits) and self.edits[right].start <= edit.end:
            if _touch(self.edits[right], edit):
                return True
            right += 1
        return False


def _clash_among(edits: list[Edit]) -> bool:
    ordered = sorted(edits, key=_order)
    return any(_touch(one, other) for i, one in enumerate(ordered) for other in ordered[i + 1 :])


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two different edits cannot both be made. Edits that only meet at their ends can."""
    if one.start == one.end:
        return other.start < one.start < other.end
    if other.start == other.end:
        return one.start < other.start < one.end
    return one.start < other.end and other.start < one.end


def _order(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _rewritten(text: str, edits: list[Edit], newline: str) -> str:
    pieces: list[str] = []
    done = 0
    for edit in edits:
        pieces += text[done : edit.start], re.sub(r"\r?\n", lambda _: newline, edit.text)
        done = edit.end
    return "".join(pieces) + text[done:]

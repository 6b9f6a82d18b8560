"""A fix as a small diff: the rows that it touches, and one row above."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from devlint.finding import Edit, Fix
from devlint.fixes.apply import apply_fixes
from devlint.report.snippet import clipped
from devlint.source.text import Source

MOST_ROWS = 40
Row = tuple[int, str, str]
"""The row number (in the new text, for a deleted row in the old one), ` `, `+` or `-`, and the row; `:` for a gap."""


def diff_rows(fix: Fix, source: Source) -> list[Row]:
    """The rows of the diff, at most `MOST_ROWS` of them."""
    rows: list[Row] = []
    shift = last_shown = 0
    for first, last, edits in _regions(fix, source):
        start = source.line_span(first).start
        end = source.line_span(last, with_end=True).end
        old = source.text[start:end]
        moved = tuple(Edit(edit.start - start, edit.end - start, edit.text) for edit in edits)
        new, _ = apply_fixes(old, [Fix(fix.message, moved)])
        if rows and first > last_shown + 2:
            rows.append((0, ":", ""))
        rows += _context(source, first - 1, shift, rows)
        rows += _changes(_rows_of(old), _rows_of(new), first, shift)
        shift += len(_rows_of(new)) - len(_rows_of(old))
        last_shown = last
    return rows[:MOST_ROWS]


def _regions(fix: Fix, source: Source) -> Iterator[tuple[int, int, list[Edit]]]:
    """The edits in groups that touch the same or neighbouring rows, with the first and the last row."""
    group: list[Edit] = []
    first = last = 0
    for edit in sorted(fix.edits):
        top, bottom = source.position(edit.start).row, source.position(edit.end).row
        if group and top > last + 1:
            yield first, last, group
            group = []
        if not group:
            first, last = top, bottom
        group.append(edit)
        last = max(last, bottom)
    if group:
        yield first, last, group


def _context(source: Source, row: int, shift: int, rows: list[Row]) -> list[Row]:
    if row < 1 or (rows and rows[-1][0] == row + shift) or not source.line(row).strip():
        return []
    return [(row + shift, " ", clipped(source.line(row)))]


def _changes(old: list[str], new: list[str], first: int, shift: int) -> list[Row]:
    rows: list[Row] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [(first + shift + j, " ", clipped(new[j])) for j in range(j1, j2)]
            continue
        rows += [(first + i, "-", clipped(old[i])) for i in range(i1, i2)]
        rows += [(first + shift + j, "+", clipped(new[j])) for j in range(j1, j2)]
    return rows


def _rows_of(text: str) -> list[str]:
    rows = re.split(r"\r\n|\r|\n", text)
    return rows[:-1] if rows and not rows[-1] else rows

"""Rows of a source with marks under the places that a finding speaks of."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass

from devlint.finding import Span
from devlint.report.paint import Line
from devlint.source.text import Source

TAB = 4
LONGEST = 160
"""Cells of a row that are shown; generated code has rows of any length."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to underline, with a word about it. The primary one gets carets, the others dashes."""

    span: Span
    label: str
    primary: bool = False

    def row(self, source: Source) -> int:
        """The row that the mark is drawn under: a place of several rows is marked on its first."""
        return source.position(self.span.start).row


def snippet(source: Source, marks: list[Mark], width: int) -> list[Line]:
    """The marked rows in order, each with its marks; `:` stands for what lies between distant rows.

    width: of the row numbers.
    """
    by_row: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        by_row[mark.row(source)].append(mark)
    lines: list[Line] = []
    last = 0
    for row in sorted(by_row):
        if last and row == last + 2:
            lines.append(_row(source, row - 1, width, 0))
        elif last and row > last + 1:
            lines.append([(" " * width + " :", "blue")])
        start = _first_shown(source, row, by_row[row])
        lines.append(_row(source, row, width, start))
        for mark in sorted(by_row[row], key=lambda mark: (not mark.primary, mark.span)):
            lines.append(_underline(source, row, mark, width, start))
        last = row
    return lines


def gutter(width: int) -> Line:
    """An empty row of a snippet."""
    return [(" " * width + " |", "blue")]


def cells(text: str) -> str:
    """The text as a terminal can show it: tabs as blanks, control characters as a mark."""
    return "".join(_cell(character) for character in text)


def clipped(text: str, start: int = 0) -> str:
    """`cells` of the text from character `start` on, cut where it gets too long."""
    shown = ("…" if start else "") + cells(text[start : start + LONGEST])
    return shown + "…" if len(text) - start > LONGEST else shown


def _cell(character: str) -> str:
    if character == "\t":
        return " " * TAB
    unseen = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")
    return "\N{REPLACEMENT CHARACTER}" if unseen else character


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(_columns(character) for character in cells(text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _row(source: Source, row: int, width: int, start: int) -> Line:
    return [(f"{row:>{width}} | ", "blue"), (clipped(source.line(row), start), "")]


def _first_shown(source: Source, row: int, marks: list[Mark]) -> int:
    """The first character of the row that is shown, so that its first mark is in sight."""
    line = source.line_span(row)
    if line.end - line.start <= LONGEST:
        return 0
    return max(min(mark.span.start for mark in marks) - line.start - LONGEST // 4, 0)


def _underline(source: Source, row: int, mark: Mark, width: int, start: int) -> Line:
    line = source.line_span(row)
    text = source.text[line.start : line.end]
    first = min(mark.span.start - line.start, len(text))
    last = min(max(mark.span.end - line.start, first + 1), max(len(text), first + 1))
    before = ("…" if start else "") + text[start:first]
    length = min(max(_width(text[first:last].rstrip()), 1), LONGEST)
    sign, style = ("^", "bold red") if mark.primary else ("-", "bold blue")
    return [
        (" " * width + " | ", "blue"),
        (" " * _width(before) + sign * length, style),
        (f" {' '.join(mark.label.split())}", style),
    ]

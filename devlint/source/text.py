"""A source file: the bytes on disk, the text they stand for, and where in the text a character is."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from devlint.finding import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


class SourceError(ValueError):
    """The bytes of a file are no Python text; the message says why, `position` where, if that is known."""

    def __init__(self, message: str, position: Position | None = None) -> None:
        super().__init__(message)
        self.position = position


class Position(NamedTuple):
    """A place as people count: rows and columns (characters, not bytes) start at 1."""

    row: int
    column: int


@dataclass(frozen=True, repr=False)
class Source:
    """A file as read.

    text: the decoded text without the byte order mark, line ends as they are in the file.
    newline: the line end that most lines have, `\\n` where there is none.
    """

    path: Path
    data: bytes
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"

    @classmethod
    def read(cls, path: Path) -> Source:
        """Raises OSError when the file cannot be read and SourceError when it cannot be decoded."""
        return cls.from_bytes(path, path.read_bytes())

    @classmethod
    def from_bytes(cls, path: Path, data: bytes) -> Source:
        """Decode as Python does: byte order mark, then the coding cookie (PEP 263), then UTF-8.

        Raises SourceError.
        """
        if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise SourceError("the file is UTF-16, which Python does not read; save it as UTF-8", Position(1, 1))
        bom = data.startswith(BOM_UTF8)
        body = data.removeprefix(BOM_UTF8)
        encoding = _declared_encoding(data)
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError as error:
            place = _position_of_byte(body, error.start, encoding)
            raise SourceError(f"the file is not {encoding}: byte 0x{body[error.start]:02x}", place) from error
        except (UnicodeError, LookupError) as error:
            raise SourceError(f"its declared encoding does not fit: {error}", Position(1, 1)) from error
        if encoding != "utf-8" and "coding" not in text:
            raise SourceError(f"its declared encoding {encoding} cannot have been used", Position(1, 1))
        return cls(path, data, text, encoding, bom, _dominant_newline(text))

    def with_text(self, text: str) -> Source:
        """The file as it would be with another text; raises SourceError when its encoding cannot hold it."""
        return replace(self, text=text, data=self.encoded(text))

    def encoded(self, text: str) -> bytes:
        """`text` in this file's encoding, with the byte order mark if it has one; raises SourceError."""
        try:
            return (BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise SourceError(f"the file's encoding {self.encoding} has no {text[error.start]!r}") from error

    @cached_property
    def _row_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @property
    def row_count(self) -> int:
        """How many rows there are; the empty one after a last line end counts."""
        return len(self._row_starts)

    def position(self, offset: int) -> Position:
        """Row and column of the character at `offset`."""
        row = bisect_right(self._row_starts, offset)
        return Position(row, offset - self._row_starts[row - 1] + 1)

    def offset(self, position: Position) -> int:
        """The offset of a position; the inverse of `position`, clipped to the text."""
        row = min(max(position.row, 1), self.row_count)
        span = self.line_span(row)
        return min(span.start + max(position.column, 1) - 1, span.end)

    def line_span(self, row: int, *, with_end: bool = False) -> Span:
        """Where row `row` stands in the text, without its line end unless `with_end`."""
        start = self._row_starts[row - 1]
        end = self._row_starts[row] if row < self.row_count else len(self.text)
        line = self.text[start:end]
        return Span(start, end if with_end else start + len(line.rstrip("\r\n")))

    def line(self, row: int) -> str:
        """The text of row `row` without its line end."""
        span = self.line_span(row)
        return self.text[span.start : span.end]

    def __repr__(self) -> str:
        return f"Source({str(self.path)!r})"


def _declared_encoding(data: bytes) -> str:
    # Lines may end in a lone \r, which `tokenize` does not know as a line end.
    head = b"\n".join(re.split(rb"\r\n|\r|\n", data[:4096], maxsplit=2)[:2]) + b"\n"
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(head).readline)
    except SyntaxError as error:
        if b"coding" not in head:
            return "utf-8"
        raise SourceError(f"its declared encoding does not fit: {error.msg}", Position(1, 1)) from error
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _position_of_byte(body: bytes, index: int, encoding: str) -> Position:
    before = body[:index].decode(encoding, errors="replace")
    rows = _LINE_END.split(before)
    return Position(len(rows), len(rows[-1]) + 1)


def _dominant_newline(text: str) -> str:
    if "\r" not in text:
        return "\n"
    counts = Counter(match[0] for match in _LINE_END.finditer(text))
    return counts.most_common(1)[0][0]

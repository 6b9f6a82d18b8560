"""Why a file cannot be read as Python, in words for its author.

LibCST decides whether a file parses: it knows the grammar of every Python up to the newest, whichever Python
runs devlint. Python's own parser is asked for the wording, because it explains better.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from devlint.finding import Span
from devlint.source.text import Position, Source, SourceError

_PYTHON_2 = re.compile(
    r"""\s*(?:
        print\s+[^\s(=.,:\[]              # print "x"
        | exec\s+['"]                     # exec "x"
        | raise\s+[\w.]+\s*,              # raise Error, "x"
        | except\s+[\w.]+\s*,\s*\w+\s*:   # except Error, e:
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """A file that cannot be read as Python: what is wrong, and where."""

    message: str
    span: Span


def syntax_problem(source: Source, message: str, place: Position) -> SyntaxProblem:
    """The problem of a file that LibCST cannot parse; `message` and `place` are LibCST's own."""
    if (null := source.text.find("\0")) >= 0:
        return SyntaxProblem("a null byte in the text", Span(null, null + 1))
    return _python_says(source) or _libcst_says(source, message, place)


def undecodable(path: Path, data: bytes, error: SourceError) -> tuple[Source, SyntaxProblem]:
    """The problem of a file whose bytes are no text, and its text as far as it can be shown."""
    source = Source(path, data, data.decode("utf-8", errors="replace"))
    start = source.offset(error.position) if error.position else 0
    return source, SyntaxProblem(str(error), Span(start, start))


def _python_says(source: Source) -> SyntaxProblem | None:
    """None when Python parses the text, or fails without a place."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source.text)
    except SyntaxError as error:
        if error.lineno is None:
            return None
        message = re.sub(r"\s*\(<unknown>, line \d+\)$", "", error.msg)
        if _PYTHON_2.match(source.line(min(max(error.lineno, 1), source.row_count))):
            message = f"this looks like Python 2: {message}"
        return SyntaxProblem(message, _span(source, error.lineno, error))
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _span(source: Source, row: int, error: SyntaxError) -> Span:
    start = source.offset(Position(row, error.offset or 1))
    if not (error.end_lineno and error.end_offset and error.end_offset > 0):
        return Span(start, start)
    return Span(start, max(start, source.offset(Position(error.end_lineno, error.end_offset))))


def _libcst_says(source: Source, message: str, place: Position) -> SyntaxProblem:
    message = message.removeprefix("parser error: ").removeprefix("tokenizer error: ")
    if nearer := re.match(r"error at (\d+):(\d+): (.*)", message, re.DOTALL):
        place, message = Position(int(nearer[1]), int(nearer[2]) + 1), nearer[3]
    if message.startswith("expected "):
        message = "invalid syntax"
    start = source.offset(place)
    return SyntaxProblem(message, Span(start, start))

"""A parsed file: its LibCST tree, and the positions of its nodes, computed only when a finding asks for them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Protocol

import libcst as cst
from libcst._nodes.internal import CodegenState

from devlint.analysis.cuda_only import is_for_cuda
from devlint.analysis.top_level import TopLevel, top_level
from devlint.analysis.uses import used_as_modules
from devlint.finding import Span

RECURSION_LIMIT = 30_000
"""Calls within calls of the checked program, nested statements, and long chains of methods take Python frames here."""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Let recursion go as deep as a program that Python itself accepts may need."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class Text(Protocol):
    """What the analysis needs of a source file; `devlint.source.text.Source` is one."""

    @property
    def path(self) -> Path: ...

    @property
    def text(self) -> str: ...


class ParsedFile:
    """One file of the project: `source` as read and `module` as parsed; `place`: where it stands below `root`.

    Raises `libcst.ParserSyntaxError` for a file that is not Python.
    """

    def __init__(self, source: Text, root: Path) -> None:
        self.source = source
        self.path = source.path
        inside = source.path.is_relative_to(root)
        self.place = source.path.relative_to(root) if inside else Path(source.path.name)
        with deep_recursion():
            self.module = cst.parse_module(source.text)
        self.generators: dict[cst.CSTNode, bool] = {}
        """Which function nodes are generators, as far as somebody asked."""
        self._texts: dict[cst.CSTNode, str] = {}

    @cached_property
    def spans(self) -> dict[cst.CSTNode, Span]:
        """The span of every node, without the whitespace around it."""
        state = _OffsetState(default_indent=self.module.default_indent, default_newline=self.module.default_newline)
        with deep_recursion():
            self.module._codegen(state)
        return state.spans

    @cached_property
    def top_level(self) -> TopLevel:
        """What hangs on which statement of the file."""
        return top_level(self.module)

    @cached_property
    def called_names(self) -> frozenset[str]:
        """Every name that a call may be of, anywhere in the file: `model` in `model(x)`, and at times a few more."""
        return frozenset(_CALLED.findall(self.source.text))

    @cached_property
    def used_as_modules(self) -> frozenset[str]:
        """The names that the file uses as only modules can be used."""
        return used_as_modules(self.source.text)

    @cached_property
    def yields(self) -> bool:
        """Whether anything in the file may be a generator."""
        return "yield" in self.source.text

    def text(self, node: cst.CSTNode) -> str:
        """The text of a node without its file's positions, which cost more where nobody has asked for them yet."""
        known = self._texts.get(node)
        if known is None:
            known = self._texts[node] = self.module.code_for_node(node)
        return known

    @cached_property
    def for_cuda(self) -> bool:
        """Whether the whole file is written for CUDA: what it fixes to CUDA is meant."""
        return is_for_cuda(self.place, self.source.text)

    def span(self, node: cst.CSTNode) -> Span:
        return self.spans[node]

    def outer(self, node: cst.BaseExpression) -> Span:
        """The span of an expression with its own parentheses, which `span` leaves out."""
        span, text = self.spans[node], self.source.text
        start, end = span.start, span.end
        for _ in node.rpar:
            while (at := _CLOSING.match(text, end)) is not None and at[0] != ")":
                end = at.end()
            end += 1
            start = text.rindex("(", 0, start)
        return Span(start, end)

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node, as the file has it."""
        span = self.spans[node]
        return self.source.text[span.start : span.end]

    def __repr__(self) -> str:
        return f"ParsedFile({self.path})"


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of a file."""

    file: ParsedFile
    node: cst.CSTNode

    @property
    def span(self) -> Span:
        return self.file.span(self.node)


_CALLED = re.compile(r"\b([^\W\d]\w*)[\s\\)]*\(")
_CLOSING = re.compile(r"\)|\s+|\\\r?\n|#[^\r\n]*")
_TEST_FILE = re.compile(r"(^|[/\\])(tests?|testing)[/\\]|(^|[/\\])(test_[^/\\]*|[^/\\]*_test|conftest)\.py$")


def is_test_file(file: ParsedFile) -> bool:
    """Whether a file is a test by its place in the project; there a program may stay on the CPU, and a device object
    be a mere key."""
    return _TEST_FILE.search(file.place.as_posix()) is not None


class _OffsetState(CodegenState):
    """LibCST's own code generation, counting characters instead of lines and columns.

    One code generation costs half a parse; `PositionProvider` costs two and a half.
    """

    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent=default_indent, default_newline=default_newline)
        self.offset = 0
        self.spans: dict[cst.CSTNode, Span] = {}
        self._starts: list[int] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.offset += len(token)

    def add_token(self, value: str) -> None:
        self.tokens = [value]
        self.offset += len(value)

    def pop_trailing_newline(self) -> None:
        self.offset -= len(self.tokens[-1]) if self.tokens else 0

    def before_codegen(self, node: cst.CSTNode) -> None:
        self._starts.append(self.offset)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._starts.pop()
        if node not in self.spans:
            self.spans[node] = Span(start, self.offset)

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recorded:
        return _Recorded(self, node, start_node, end_node)


class _Recorded:
    """Notes where a node begins and ends; a plain class, since a generator-based one costs four times as much."""

    __slots__ = ("end_node", "node", "start", "start_node", "state")

    def __init__(
        self, state: _OffsetState, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> None:
        self.state, self.node, self.start_node, self.end_node = state, node, start_node, end_node

    def __enter__(self) -> None:
        self.start = self.state.offset

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        spans = self.state.spans
        start = spans[self.start_node].start if self.start_node is not None else self.start
        end = spans[self.end_node].end if self.end_node is not None else self.state.offset
        spans[self.node] = Span(start, end)

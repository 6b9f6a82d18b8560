"""Suppression comments: `# devlint: ignore[DVL201] reason`, `# devlint: file-ignore[...]`, `# noqa: DVL201`.

An `ignore` holds for the logical statement it stands on, or, on a line of its own, for the statement below.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from devlint.finding import Edit, Finding, Span
from devlint.source.text import Source

_WORDS_OF_OURS = re.compile(r"devlint:|noqa", re.IGNORECASE)
_REASON = r"(?P<reason>(?:(?!#\s*(?:[A-Za-z][\w.-]*:|noqa\b)).)*)"
"""Up to the next comment for a tool in the same line (`# type: ignore`)."""
_DIRECTIVE = re.compile(r"#\s*devlint:\s*(?P<kind>file-ignore|ignore)\b[ \t]*(?:\[(?P<codes>[^\]]*)\])?" + _REASON)
_NOQA = re.compile(r"#\s*noqa\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:(?:\s*,\s*|\s+)[A-Z]+[0-9]+)*)\b" + _REASON, re.IGNORECASE)
_NOT_OURS = re.compile(r"#\s*devlint:\s*(?P<kind>noqa|disable\S*|skip\S*|off|\S*ignore\S*)")
_ABOUT_COMMENTS = frozenset({"DVL902", "DVL903"})


class Problem(Enum):
    """What is wrong with a suppression comment."""

    UNUSED = "unused"
    UNKNOWN = "unknown"
    BLANKET = "blanket"


@dataclass(frozen=True, slots=True)
class UnusedSuppression:
    """A fact about a comment: it suppresses nothing (`words` say which codes), or cannot.

    edits: what removes it, where removing it is the answer.
    """

    span: Span
    problem: Problem
    words: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class SuppressionWithoutReason:
    """A fact about a comment: it suppresses, and does not say why."""

    span: Span
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suppression:
    """One directive in a comment.

    words: what stands in the brackets, each with its place.
    rows: the first and last row it holds for; None for the whole file.
    removal: the characters to delete when none of it is needed.
    """

    span: Span
    words: tuple[tuple[str, Span], ...]
    rows: tuple[int, int] | None
    removal: Span
    foreign_allowed: bool = False
    blanket: bool = False
    reason: str = ""
    """What stands behind the brackets, up to the next comment for a tool."""


@dataclass(frozen=True, slots=True)
class _Comment:
    span: Span
    text: str
    rows: tuple[int, int]
    above: bool
    """Whether it stands on lines of its own above the statement it is about."""


def read_suppressions(source: Source) -> list[Suppression]:
    """The suppression comments of a file, in the order of the text."""
    if _WORDS_OF_OURS.search(source.text) is None:
        return []
    return [found for comment in _comments(source) for found in _directives(source, comment)]


def suppress(
    source: Source, findings: Iterable[Finding], suppressions: list[Suppression], codes: Mapping[str, str]
) -> tuple[list[Finding], set[tuple[Suppression, str]]]:
    """The findings that no comment suppresses, and the words of comments that suppressed one.

    codes: every code and every name of a rule, with the code.
    """
    kept: list[Finding] = []
    used: set[tuple[Suppression, str]] = set()
    for finding in findings:
        row = source.position(finding.span.start).row
        hits = [
            (suppression, word)
            for suppression in suppressions
            if suppression.rows is None or suppression.rows[0] <= row <= suppression.rows[1]
            for word, _ in suppression.words
            if codes.get(word) == finding.code
        ]
        used.update(hits)
        if not hits:
            kept.append(finding)
    return kept, used


def unused_suppressions(
    suppressions: list[Suppression],
    used: set[tuple[Suppression, str]],
    codes: Mapping[str, str],
    enabled: Collection[str],
) -> Iterator[UnusedSuppression]:
    """What is wrong with the comments. A code whose rule is off may be needed by a run in which it is on."""
    for suppression in suppressions:
        if suppression.blanket:
            yield UnusedSuppression(suppression.span, Problem.BLANKET)
            continue
        ours = [(w, span) for w, span in suppression.words if w in codes or not _foreign(suppression, w)]
        unknown = [(word, span) for word, span in ours if word not in codes]
        for word, span in unknown:
            yield UnusedSuppression(span, Problem.UNKNOWN, (word,))
        unused = [
            (word, span)
            for word, span in ours
            if (code := codes.get(word)) in enabled and code not in _ABOUT_COMMENTS and (suppression, word) not in used
        ]
        if unused:
            words = tuple(word for word, _ in unused)
            span = suppression.span if len(unused) == len(suppression.words) else unused[0][1]
            edits = _removal(suppression, [span for _, span in unused])
            yield UnusedSuppression(span, Problem.UNUSED, words, edits)


def suppressions_without_reason(
    suppressions: list[Suppression], codes: Mapping[str, str]
) -> Iterator[SuppressionWithoutReason]:
    """The comments that name one of our rules and give no reason."""
    for suppression in suppressions:
        ours = tuple(word for word, _ in suppression.words if word in codes)
        if ours and not re.search(r"\w", suppression.reason):
            yield SuppressionWithoutReason(suppression.span, ours)


def _foreign(suppression: Suppression, word: str) -> bool:
    return suppression.foreign_allowed and not word.startswith("DVL")


def _removal(suppression: Suppression, unused: list[Span]) -> tuple[Edit, ...]:
    """Edits that delete the unused words with a comma each, or the whole directive when none is left."""
    spans = [span for _, span in suppression.words]
    if len(unused) == len(spans):
        return (Edit(suppression.removal.start, suppression.removal.end, ""),)
    edits: list[Edit] = []
    kept_before = False
    for index, span in enumerate(spans):
        if span not in unused:
            kept_before = True
        elif kept_before:
            edits.append(Edit(spans[index - 1].end, span.end, ""))
        else:
            edits.append(Edit(span.start, spans[index + 1].start, ""))
    return tuple(edits)


def _directives(source: Source, comment: _Comment) -> Iterator[Suppression]:
    for pattern, foreign in ((_DIRECTIVE, False), (_NOQA, True)):
        for match in pattern.finditer(comment.text):
            words = tuple(_words(comment, match)) if match["codes"] is not None else ()
            kind = match["kind"] if not foreign else "ignore"
            if foreign and comment.above:
                continue  # on a line of its own it holds for nothing, in every tool
            yield Suppression(
                _trimmed(comment, match),
                words,
                None if kind == "file-ignore" else comment.rows,
                _removable(source, comment, match),
                foreign_allowed=foreign,
                blanket=not words,
                reason=match["reason"],
            )
    wrong = _NOT_OURS.search(comment.text)
    if wrong and not _DIRECTIVE.match(comment.text, wrong.start()):
        span = _trimmed(comment, wrong)
        yield Suppression(span, (), None, span, blanket=True)


def _words(comment: _Comment, match: re.Match[str]) -> Iterator[tuple[str, Span]]:
    start = comment.span.start + match.start("codes")
    for word in re.finditer(r"[^\s,]+", match["codes"]):
        shown = word[0].upper() if re.fullmatch(r"[A-Za-z]+[0-9]+", word[0]) else word[0]
        yield shown, Span(start + word.start(), start + word.end())


def _trimmed(comment: _Comment, match: re.Match[str]) -> Span:
    start = comment.span.start + match.start()
    return Span(start, start + len(match[0].rstrip()))


def _removable(source: Source, comment: _Comment, match: re.Match[str]) -> Span:
    """The directive with the blanks before it; the whole line where nothing else stands on it."""
    start, end = comment.span.start + match.start(), comment.span.start + match.end()
    line = source.line_span(source.position(start).row)
    if not source.text[line.start : start].strip() and end >= line.end:
        return source.line_span(source.position(start).row, with_end=True)
    if source.text[end : end + 1] != "#":
        start = line.start + len(source.text[line.start : start].rstrip())
    return Span(start, end)


def _comments(source: Source) -> Iterator[_Comment]:
    try:
        yield from list(_tokenized_comments(source))
    except (tokenize.TokenError, SyntaxError):
        yield from _scanned_comments(source)


def _tokenized_comments(source: Source) -> Iterator[_Comment]:
    rows = "".join(source.line(row) + "\n" for row in range(1, source.row_count + 1))
    above: list[Span] = []
    inside: list[Span] = []
    first = 0
    for token in tokenize.generate_tokens(io.StringIO(rows).readline):
        match token.type:
            case tokenize.COMMENT:
                start = source.line_span(token.start[0]).start + token.start[1]
                (inside if first else above).append(Span(start, start + len(token.string)))
            case tokenize.NEWLINE:
                statement = (first, token.end[0])
                yield from (_Comment(span, _slice(source, span), statement, True) for span in above)
                yield from (_Comment(span, _slice(source, span), statement, False) for span in inside)
                above, inside, first = [], [], 0
            case tokenize.NL if not first and not token.line.strip():
                # A blank line parts a comment from the statement below it.
                yield from _apart(source, above)
                above = []
            case tokenize.NL | tokenize.INDENT | tokenize.DEDENT | tokenize.ENDMARKER:
                pass
            case _:
                first = first or token.start[0]
    yield from _apart(source, above)


def _apart(source: Source, comments: list[Span]) -> Iterator[_Comment]:
    for span in comments:
        row = source.position(span.start).row
        yield _Comment(span, _slice(source, span), (row, row), True)


def _slice(source: Source, span: Span) -> str:
    return source.text[span.start : span.end]


def _scanned_comments(source: Source) -> Iterator[_Comment]:
    """Without tokens (the file does not parse): what follows a `#`; alone on a row, it holds for the next."""
    for row in range(1, source.row_count + 1):
        line = source.line(row)
        if _WORDS_OF_OURS.search(line) and (column := line.find("#")) >= 0:
            start = source.line_span(row).start + column
            alone = not line[:column].strip()
            rows = (row, row + 1 if alone else row)
            yield _Comment(Span(start, start + len(line) - column), line[column:], rows, alone)

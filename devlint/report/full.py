"""The report for people: the code, what happens where in it, what it leads to, and the fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from devlint.finding import Applicability, Finding
from devlint.report.concise import heading, one_line
from devlint.report.fix_diff import diff_rows
from devlint.report.formats import Look
from devlint.report.paint import Line, painted
from devlint.report.snippet import Mark, gutter, snippet
from devlint.report.summary import summary
from devlint.source.paths import shown
from devlint.source.text import Source

_FIX_LABELS = {
    Applicability.SAFE: "fix (safe)",
    Applicability.UNSAFE: "fix (unsafe)",
    Applicability.DISPLAY: "suggestion",
}


def render(findings: Sequence[Finding], sources: Mapping[Path, Source], look: Look) -> str:
    """The findings, a blank line after each, and the summary."""
    lines: list[Line] = []
    for finding in findings:
        lines += [*_block(finding, sources, look), []]
    return painted(lines + summary(findings, look), color=look.color)


def _block(finding: Finding, sources: Mapping[Path, Source], look: Look) -> list[Line]:
    source = sources[finding.path]
    marks = _marks(finding, sources)
    diff = diff_rows(finding.fix, source) if finding.fix else []
    rows = [mark.row(sources[path]) for path, group in marks.items() for mark in group]
    width = len(str(max([*rows, *(row for row, _, _ in diff)])))
    lines = [heading(finding, source, look), gutter(width)]
    for path, group in marks.items():
        if path != finding.path:
            row, column = sources[path].position(group[0].span.start)
            lines += [[(" " * width + "--> ", "blue"), (f"{shown(path)}:{row}:{column}", "")], gutter(width)]
        lines += [*snippet(sources[path], group, width), gutter(width)]
    if finding.consequence:
        lines.append(_note(width, "", one_line(finding.consequence)))
    if finding.fix:
        label = f"{_FIX_LABELS[finding.fix.applicability]}: "
        lines.append(_note(width, label, one_line(finding.fix.message)))
        if diff:
            lines += [gutter(width), *(_diff_line(width, *row) for row in diff), gutter(width)]
    lines.append(_note(width, "", f"devlint rule {finding.code}"))
    return lines


def _marks(finding: Finding, sources: Mapping[Path, Source]) -> dict[Path, list[Mark]]:
    """The places of the story by file, that of the finding first."""
    marks = {finding.path: [Mark(finding.span, finding.label, primary=True)]}
    for place in finding.related:
        if place.path in sources:
            marks.setdefault(place.path, []).append(Mark(place.span, place.message))
    return marks


def _note(width: int, label: str, text: str) -> Line:
    return [(" " * width + " = ", "blue"), (label, "bold"), (text, "")]


def _diff_line(width: int, row: int, sign: str, text: str) -> Line:
    if sign == ":":
        return [(" " * width + " :", "blue")]
    style = {"+": "green", "-": "red"}.get(sign, "")
    bar = "|" if sign == " " else sign
    return [(f"{row:>{width}} ", "blue"), (f"{bar} ", style or "blue"), (text, style)]

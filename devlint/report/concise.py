"""One line a finding: `path:row:column: CODE [*] message`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from devlint.finding import Finding
from devlint.fixes.passes import may_apply
from devlint.report.formats import Look
from devlint.report.paint import Line, painted
from devlint.report.summary import summary
from devlint.rule import all_rules
from devlint.source.paths import shown
from devlint.source.text import Source


def render(findings: Sequence[Finding], sources: Mapping[Path, Source], look: Look) -> str:
    """The findings, a line each, and the summary."""
    lines = [heading(finding, sources[finding.path], look) for finding in findings]
    return painted(lines + summary(findings, look), color=look.color)


def heading(finding: Finding, source: Source, look: Look) -> Line:
    """The line that editors and problem matchers parse; `[*]` marks what `--fix` would fix."""
    row, column = source.position(finding.span.start)
    rule = all_rules().get(finding.code)
    return [
        (shown(finding.path), "bold"),
        (f":{row}:{column}: ", "cyan"),
        (finding.code, f"bold red link {rule.url}" if rule and rule.url else "bold red"),
        (" [*]" if may_apply(finding.fix, unsafe=look.unsafe) else "", "cyan"),
        (f" {one_line(finding.message)}", ""),
    ]


def one_line(text: str) -> str:
    """The text without line ends."""
    return " ".join(text.split())

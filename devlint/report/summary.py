"""The closing lines of a report for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from devlint.finding import Applicability, Finding, Severity
from devlint.report.formats import Look
from devlint.report.paint import Line


def summary(findings: Sequence[Finding], look: Look) -> list[Line]:
    """How many findings there are, and how many of them `--fix` would fix."""
    if not look.summary:
        return []
    if not findings:
        fixed = f"Fixed {counted(look.fixed, 'finding')}. " if look.fixed else ""
        if not look.complete:
            return [[(f"{fixed}Nothing found, but not every file could be checked.", "bold")]]
        return [[(fixed, ""), ("All checks passed!", "bold green")]]
    return [_found(findings, look), *_fixable(findings, look)]


def counted(number: int, noun: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _found(findings: Sequence[Finding], look: Look) -> Line:
    by_severity = Counter(finding.severity for finding in findings)
    parts = ", ".join(counted(by_severity[severity], severity.value) for severity in Severity)
    fixed = f"; {look.fixed} fixed" if look.fixed else ""
    return [(f"Found {counted(len(findings), 'finding')} ({parts}){fixed}.", "bold")]


def _fixable(findings: Sequence[Finding], look: Look) -> list[Line]:
    levels = Counter(finding.fix.applicability for finding in findings if finding.fix)
    safe, unsafe = levels[Applicability.SAFE], levels[Applicability.UNSAFE]
    if look.unsafe:
        safe, unsafe = safe + unsafe, 0
    if safe:
        more = f" ({unsafe} more with --unsafe-fixes)" if unsafe else ""
        return [[("[*]", "cyan"), (f" {safe} fixable with --fix{more}.", "")]]
    if unsafe:
        return [[(f"{unsafe} fixable with --fix --unsafe-fixes.", "")]]
    return []

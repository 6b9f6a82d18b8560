"""A fix is safe only if the analysis of the fixed text finds nothing left that it should have met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

import libcst as cst

from devlint.finding import Applicability, Finding, Fix, Severity
from devlint.fixes.unbound import unbound_names

ROUNDS = 6
"""A fix may uncover the next one (a moved label that numpy reads); this many layers are looked at."""

PLACEMENT = ("DVL2", "DVL3")
"""How the codes of the rules begin whose fixes move something."""
_KNOWN_TO_MOVE_NOTHING = ("DVL1", "DVL4", "DVL9")


class Fixable(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def newline(self) -> str: ...


S = TypeVar("S", bound=Fixable)


def proven(
    findings: Sequence[Finding],
    source: S,
    recheck: Callable[[S], Sequence[Finding]],
    with_text: Callable[[S, str], S],
    apply: Callable[[str, Sequence[Fix], str], tuple[str, Sequence[Fix]]],
    hidden: Callable[[], Sequence[Finding]] = tuple,
) -> list[Finding]:
    """The findings, their safe fixes made unsafe where the fixed text still has, or newly has, something to report.

    recheck: the findings of a changed source, unproven. with_text: the source with another text. apply: text and
    fixes to the new text and the fixes that went in. hidden: what is found in the source as it
    stands and nobody asked for.
    """
    if not any(_safe(finding) for finding in findings):
        return list(findings)
    known = {_key(finding) for finding in findings if not _safe(finding)}
    names = unbound_names(source.text)
    current, now = source, list(findings)
    for _ in range(ROUNDS):
        fixes = [finding.fix for finding in now if finding.fix is not None and _safe(finding)]
        if not fixes:
            break
        text, applied = apply(current.text, fixes, current.newline)
        if not applied or parse_problem(text) or unbound_names(text) - names:
            return [doubted(finding) for finding in findings]
        current = with_text(current, text)
        now = list(recheck(current))
    left = [
        f for f in now if f.severity is not Severity.NOTE and _key(f) not in known and not f.code.startswith("DVL9")
    ]
    if left:
        before = {_key(finding) for finding in hidden()}
        left = [finding for finding in left if _key(finding) not in before]
    if not left:
        return list(findings)
    # Of another package's fix nobody knows whether it moves something.
    return [f if f.code.startswith(_KNOWN_TO_MOVE_NOTHING) else doubted(f) for f in findings]


def parse_problem(text: str) -> str:
    """Why LibCST cannot read a text, or nothing."""
    try:
        cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        return error.message
    except ValueError as error:
        return str(error)
    return ""


def _safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability is Applicability.SAFE


def _key(finding: Finding) -> tuple[str, str, Severity]:
    """What stays the same of a finding while lines move; a warning that becomes an error is another finding."""
    return finding.code, finding.message, finding.severity


def doubted(finding: Finding) -> Finding:
    """The finding, its fix no longer safe."""
    if finding.fix is None or finding.fix.applicability is not Applicability.SAFE:
        return finding
    return replace(finding, fix=replace(finding.fix, applicability=Applicability.UNSAFE))

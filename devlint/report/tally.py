"""`--statistics`: how many findings each rule has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from devlint.finding import Finding
from devlint.fixes.passes import may_apply
from devlint.report.formats import Look
from devlint.report.paint import Line, painted
from devlint.report.summary import summary


def render(findings: Sequence[Finding], look: Look, *, as_json: bool) -> str:
    """The rules with findings, the most frequent first."""
    names = {finding.code: finding.name for finding in findings}
    fixable = Counter(f.code for f in findings if may_apply(f.fix, unsafe=look.unsafe))
    counts = sorted(Counter(f.code for f in findings).items(), key=lambda item: (-item[1], item[0]))
    if as_json:
        rows = [{"code": code, "name": names[code], "count": count, "fixable": fixable[code]} for code, count in counts]
        return json.dumps(rows, indent=2) + "\n"
    width = max((len(str(count)) for _, count in counts), default=1)
    lines: list[Line] = [
        [
            (f"{count:>{width}}  ", "bold"),
            (code, "bold red"),
            (" [*] " if fixable[code] else " [ ] ", "cyan"),
            (names[code], ""),
        ]
        for code, count in counts
    ]
    return painted(lines + summary(findings, look), color=look.color)

"""JSON for other programs, with ruff's keys and `related`. Rows and columns (characters) start at 1."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from devlint.finding import Finding, Fix
from devlint.rule import all_rules
from devlint.source.text import Source


def render(findings: Sequence[Finding], sources: Mapping[Path, Source]) -> str:
    """A list with an object a finding; `[]` when there is none."""
    if not findings:
        return "[]\n"
    rows = [_finding(finding, sources) for finding in findings]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Finding, sources: Mapping[Path, Source]) -> dict[str, object]:
    source = sources[finding.path]
    rule = all_rules().get(finding.code)
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "severity": finding.severity.value,
        "url": (rule.url or None) if rule else None,
        "filename": str(finding.path.absolute()),
        "cell": None,
        "location": _location(source, finding.span.start),
        "end_location": _location(source, finding.span.end),
        "fix": _fix(finding.fix, source) if finding.fix else None,
        "noqa_row": source.position(finding.span.start).row,
        "related": [
            {
                "filename": str(place.path.absolute()),
                "location": _location(sources[place.path], place.span.start),
                "end_location": _location(sources[place.path], place.span.end),
                "message": place.message,
            }
            for place in finding.related
            if place.path in sources
        ],
    }


def _fix(fix: Fix, source: Source) -> dict[str, object]:
    return {
        "applicability": fix.applicability.value,
        "message": fix.message,
        "edits": [
            {
                "content": edit.text,
                "location": _location(source, edit.start),
                "end_location": _location(source, edit.end),
            }
            for edit in fix.edits
        ],
    }


def _location(source: Source, offset: int) -> dict[str, int]:
    row, column = source.position(offset)
    return {"row": row, "column": column}

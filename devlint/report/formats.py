"""Which output format is made by which module; a module is imported when its format is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devlint.finding import Finding
from devlint.source.text import Source


@dataclass(frozen=True, slots=True)
class Look:
    """How a report is to look.

    color: with terminal colours and links.
    unsafe: whether unsafe fixes count as fixable.
    summary: with the closing lines ("Found 3 findings ...").
    complete: every file was read and analysed, so that nothing found means that nothing is wrong.
    fixed: how many fixes this run has applied.
    """

    color: bool = False
    unsafe: bool = False
    summary: bool = True
    complete: bool = True
    fixed: int = 0


def render(
    name: str,
    findings: Sequence[Finding],
    sources: Mapping[Path, Source],
    look: Look,
    *,
    statistics: bool = False,
) -> str:
    """The report in the format `name` (one of `devlint.options.OUTPUT_FORMATS`), or the counts by rule."""
    if statistics:
        from devlint.report import tally

        return tally.render(findings, look, as_json=name == "json")
    match name:
        case "json":
            from devlint.report import json_format

            return json_format.render(findings, sources)
        case "github":
            from devlint.report import github

            return github.render(findings, sources, look)
        case "concise":
            from devlint.report import concise

            return concise.render(findings, sources, look)
        case _:
            from devlint.report import full

            return full.render(findings, sources, look)

"""GitHub annotations: workflow commands, then the same findings as text, so that the log is complete.

Form and escaping: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
Limits: https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from devlint.finding import Finding, Severity
from devlint.report.concise import one_line
from devlint.report.concise import render as render_concise
from devlint.report.formats import Look
from devlint.report.summary import counted
from devlint.source.text import Source

MOST_PER_KIND = 10
"""GitHub drops what comes after the tenth annotation of a kind in a step, without a word."""
LARGEST_SUMMARY = 1_000_000
"""Bytes; GitHub refuses a step summary of more than 1 MiB."""
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(findings: Sequence[Finding], sources: Mapping[Path, Source], look: Look) -> str:
    """Commands for the worst findings, a count of the others, and the concise text of all."""
    ordered = sorted(findings, key=lambda finding: finding.severity.rank)
    shown: Counter[Severity] = Counter()
    lines: list[str] = []
    for finding in ordered:
        shown[finding.severity] += 1
        if shown[finding.severity] <= MOST_PER_KIND:
            lines.append(_command(finding, sources[finding.path]))
    left = sum(max(count - MOST_PER_KIND, 0) for count in shown.values())
    if left:
        lines.append(f"{counted(left, 'finding')} without an annotation: GitHub shows ten of a kind")
    text = render_concise(findings, sources, look)
    # A file may be called "::error"; what is no command of ours must not become one.
    lines += [f"./{line}" if line.startswith("::") else line for line in text.splitlines()]
    return "".join(line + "\n" for line in lines)


def step_summary(findings: Sequence[Finding], sources: Mapping[Path, Source]) -> str:
    """A Markdown table of all findings, as far as it fits."""
    head = "### devlint\n\n"
    if not findings:
        return head + "No findings.\n"
    rows = [
        "| Severity | Rule | Place | Finding |\n| --- | --- | --- | --- |\n",
        *(_row(finding, sources[finding.path]) for finding in findings),
    ]
    size, kept = 0, 0
    for row in rows:
        size += len(row.encode())
        if size > LARGEST_SUMMARY:
            break
        kept += 1
    left = len(rows) - kept
    return head + "".join(rows[:kept]) + (f"\n{left} more in the log.\n" if left else "")


def workspace_path(path: Path) -> str:
    """The path as GitHub knows it: from the workspace (else the git root), with slashes, without `./`."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    root = Path(workspace).resolve() if workspace else _git_root(path)
    relative = os.path.relpath(path.parent.resolve() / path.name, root)
    outside = relative.startswith("..")
    return path.absolute().as_posix() if outside else Path(relative).as_posix()


def _command(finding: Finding, source: Source) -> str:
    start, end = source.position(finding.span.start), source.position(finding.span.end)
    properties = {"file": workspace_path(finding.path), "line": str(start.row)}
    if start.row == end.row:
        properties |= {"col": str(start.column), "endLine": str(end.row), "endColumn": str(end.column)}
    else:
        properties["endLine"] = str(end.row)  # GitHub drops columns that span rows
    properties["title"] = f"devlint {finding.code} ({finding.name})"
    words = ",".join(f"{key}={_escaped_property(value)}" for key, value in properties.items())
    place = f"{properties['file']}:{start.row}:{start.column}"
    return f"::{_KINDS[finding.severity]} {words}::{_escaped(f'{place}: {finding.code} {finding.message}')}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _row(finding: Finding, source: Source) -> str:
    place = f"{workspace_path(finding.path)}:{source.position(finding.span.start).row}"
    cells = (finding.severity.value, f"{finding.code} {finding.name}", place, one_line(finding.message))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _git_root(path: Path) -> Path:
    resolved = path.parent.resolve()
    for folder in (resolved, *resolved.parents):
        if (folder / ".git").exists():
            return folder
    return Path.cwd()

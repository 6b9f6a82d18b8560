"""`devlint check --explain-flow FILE:LINE`: what the engine believes of every name there, as a table."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

from devlint.errors import DevlintError
from devlint.source.paths import shown
from devlint.source.text import Source, SourceError


def explain_flow(place: str, color: bool) -> str:
    """The table for `FILE:LINE`; raises DevlintError when there is no such file or line, or it is not Python."""
    name, _, number = place.rpartition(":")
    if not name or not number.isdigit() or int(number) < 1:
        raise DevlintError(f"--explain-flow: expected FILE:LINE, such as train.py:42, not {place!r}")
    path, line = Path(os.path.abspath(name)), int(number)
    try:
        source = Source.read(path)
    except OSError as error:
        raise DevlintError(f"--explain-flow: {name}: cannot be read: {error.strerror}") from error
    except SourceError as error:
        raise DevlintError(f"--explain-flow: {name}: {error}") from error
    if line > (lines := source.text.count("\n") + 1):
        raise DevlintError(f"--explain-flow: {name} has {lines} lines")
    return _table(source, line, color)


def _table(source: Source, line: int, color: bool) -> str:
    from libcst import ParserSyntaxError
    from rich.console import Console
    from rich.table import Table

    from devlint.analysis.flow_view import FlowView
    from devlint.analysis.project import Project
    from devlint.check import project_root

    view = FlowView(source.path, line)
    try:
        Project(project_root([source.path])).look_at(source, view)
    except ParserSyntaxError as error:
        raise DevlintError(f"--explain-flow: {shown(source.path)} is not Python: {error.message}") from error
    text = source.text.splitlines()[line - 1].strip() if line <= len(source.text.splitlines()) else ""
    out = StringIO()
    console = Console(file=out, force_terminal=color, no_color=not color, width=None if color else 160, highlight=False)
    console.print(f"{shown(source.path)}:{line}: {text}", markup=False)
    if not view.states:
        console.print("no statement of this line is run: it is blank, a comment, or code that devlint does not reach")
    for state in view.states:
        table = Table(title=f"in {state.scope}", title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in ("name", "kind", "where", "why"):
            table.add_column(column, overflow="fold")
        for belief in state.beliefs:
            table.add_row(
                *(part.replace("[", "\\[") for part in (belief.name, belief.kind, belief.place, belief.reason))
            )
        console.print()
        console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())

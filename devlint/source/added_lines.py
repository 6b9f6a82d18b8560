"""Which lines of the working tree are new since a revision, as git tells."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from devlint.errors import DevlintError

_HUNK = re.compile(r"@@ -\d+(?:,(?P<gone>\d+))? \+(?P<first>\d+)(?:,(?P<come>\d+))? @@")


@dataclass(frozen=True, slots=True)
class AddedLines:
    """The new lines of a repository. A file that git does not know is new as a whole.

    root: the repository's folder, symbolic links resolved. tracked, rows: by the path below it.
    """

    root: str
    tracked: frozenset[str]
    rows: Mapping[str, frozenset[int]]

    def hold(self, path: Path, first: int, last: int) -> bool:
        """Whether one of these rows of a file, the last included, is new."""
        place = os.path.relpath(os.path.realpath(path), self.root).replace(os.sep, "/")
        if place not in self.tracked:
            return True
        return any(row in self.rows.get(place, ()) for row in range(first, last + 1))

    def touch(self, path: Path) -> bool:
        """Whether any row of a file is new."""
        place = os.path.relpath(os.path.realpath(path), self.root).replace(os.sep, "/")
        return place not in self.tracked or bool(self.rows.get(place))


def added_lines(revision: str, folder: Path) -> AddedLines:
    """The lines that were added since the branch in `folder` left `revision`, committed or not.

    Raises DevlintError when git does not know the folder or the revision.
    """
    if (top := _git(folder, "rev-parse", "--show-toplevel")) is None:
        raise DevlintError(f"--diff-base: {folder} is in no git repository")
    root = os.path.realpath(top.rstrip("\n"))
    commit = (
        None if revision.startswith("-") else _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    )
    if commit is None:
        raise DevlintError(
            f"--diff-base: git knows no revision `{revision}`; fetch it first (a shallow clone lacks it)"
        )
    base = _git(folder, "merge-base", commit.strip(), "HEAD") or commit
    listed = _git(Path(root), "ls-files", "-z")
    patch = _git(
        Path(root),
        *("-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"),
        *("--unified=0", "--src-prefix=a/", "--dst-prefix=b/", base.strip(), "--"),
    )
    if listed is None or patch is None:
        raise DevlintError(f"--diff-base: git cannot compare with `{revision}`")
    rows: dict[str, set[int]] = {}
    for place, row in _added(patch):
        rows.setdefault(place, set()).add(row)
    tracked = frozenset(listed.split("\0"))
    return AddedLines(root, tracked, {place: frozenset(found) for place, found in rows.items()})


def _added(patch: str) -> Iterator[tuple[str, int]]:
    """The path and the row of each added line of a patch without context."""
    place, left = "", 0
    for line in patch.split("\n"):
        if left > 0:
            left -= not line.startswith("\\")  # "\ No newline at end of file"
        elif line.startswith("+++ "):
            place = line.removeprefix("+++ ").removeprefix("b/").removesuffix("\t")
        elif hunk := _HUNK.match(line):
            come = int(hunk["come"] or 1)
            left = int(hunk["gone"] or 1) + come
            yield from ((place, int(hunk["first"]) + number) for number in range(come))


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints; None where it fails."""
    command = ["git", *arguments]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError as error:
        raise DevlintError("--diff-base: git is not installed") from error
    return run.stdout if run.returncode == 0 else None

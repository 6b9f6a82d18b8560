"""The project under check: its files, parsed when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import libcst as cst

from devlint.source.text import Source


class Project:
    """All files below `root`, as far as they are looked at. One per run of devlint."""

    def __init__(self, root: Path, read: Callable[[Path], Source] | None = None) -> None:
        self.root = root
        self._read = read or Source.read

    def facts(self, source: Source) -> Mapping[Path, Sequence[object]]:
        """What happens in this file; raises `libcst.ParserSyntaxError` when the file is not Python."""
        cst.parse_module(source.text)
        return {}

    def source(self, path: Path) -> Source:
        """A file of the project."""
        return self._read(path)

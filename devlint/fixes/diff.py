"""What `--diff` prints."""

from __future__ import annotations

import re
from difflib import unified_diff as difference

from devlint.source.text import Source

_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def unified_diff(name: str, old: Source, new: Source) -> bytes:
    """The change as `patch` and `git apply` read it, in the file's own encoding and with its line ends."""
    pieces: list[str] = []
    for row in difference(_rows(old), _rows(new), name, name, lineterm="\n"):
        pieces.append(row if row.endswith(("\n", "\r")) else f"{row}\n\\ No newline at end of file\n")
    return "".join(pieces).encode(new.encoding, errors="backslashreplace")


def _rows(source: Source) -> list[str]:
    return _ROW.findall("\ufeff" + source.text if source.bom else source.text)

"""How a path is shown to people."""

from __future__ import annotations

import os
from pathlib import Path


def shown(path: Path) -> str:
    """Relative to the current folder where `path` lies below it, else as it is."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)
    return str(path) if relative.startswith("..") else relative

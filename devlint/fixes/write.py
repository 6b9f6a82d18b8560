"""Writing a fixed file: whole or not at all, and never over somebody else's change."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from devlint.errors import DevlintError
from devlint.source.text import Source


def write_fixed(source: Source, data: bytes) -> None:
    """Replace the file that `source` was read from by `data`.

    The new file appears at once, with the old one's permissions; a link stays a link.
    Raises DevlintError when the file has changed since it was read, or cannot be written.
    """
    target = Path(os.path.realpath(source.path))
    try:
        if target.read_bytes() != source.data:
            raise DevlintError(f"{source.path}: changed since devlint read it, so not written; run again")
        _replace(target, data)
    except OSError as error:
        raise DevlintError(f"{source.path}: cannot be written: {error.strerror or error}") from error


def _replace(target: Path, data: bytes) -> None:
    if not os.access(target, os.W_OK):
        raise PermissionError(13, "the file is write-protected")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(target, name)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise

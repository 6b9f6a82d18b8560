"""New threads join the simulation: torch's modes belong to one thread, a GPU to all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from devlint.verify.patches import Patches


def install(enter: Callable[[], AbstractContextManager[Any]], patches: Patches) -> None:
    real = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

    def bootstrap(thread: threading.Thread) -> None:
        with enter():
            real(thread)

    patches.set(threading.Thread, "_bootstrap_inner", bootstrap)

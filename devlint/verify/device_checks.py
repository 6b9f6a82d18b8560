"""Which check torch's CUDA half makes before an operation, read from the operator list that torch brings
along.

The list decides the family of the message: operators marked `device_check: NoCheck` leave it to
TensorIterator.
"""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple


class DeviceCheck(NamedTuple):
    """checked: the dispatcher's own check comes first. structured: how its method is named in the message."""

    checked: bool
    structured: bool


@cache
def device_check(name: str) -> DeviceCheck:
    """The check of an operator such as `addmm` or `index.Tensor`."""
    entries = _entries()
    entry = entries.get(name, "")
    delegate = re.search(r"structured_delegate: (\S+)", entry)
    body = entries.get(delegate[1], "") if delegate else entry
    composite = "Composite" in body or "CUDA" not in body
    return DeviceCheck(
        bool(body) and "device_check: NoCheck" not in entry and not composite, "structured: True" in body
    )


@cache
def _entries() -> dict[str, str]:
    found = importlib.util.find_spec("torchgen")
    folder = Path(found.origin).parent if found and found.origin else Path()
    path = folder / "packaged" / "ATen" / "native" / "native_functions.yaml"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return {}
    return {entry.partition("(")[0]: entry for entry in text.split("\n- func: ")[1:]}

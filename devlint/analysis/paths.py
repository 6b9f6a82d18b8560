"""Values that are on a device on one way through a function and on the host on another."""

from __future__ import annotations

import re
from dataclasses import replace

import libcst as cst

from devlint.analysis.frame import FunctionInfo
from devlint.analysis.parsed import ParsedFile
from devlint.analysis.placement import Placement, Where
from devlint.analysis.syntax import descendants
from devlint.analysis.values import Source, Tensor, Value

_ABOUT_DEVICES = re.compile(r"cuda|gpu|device|accelerator|xpu|mps|npu", re.IGNORECASE)


def returned_on_either(function: FunctionInfo, a: Value, b: Value) -> Tensor | None:
    """What a function returns that makes a tensor on the host on one path and gives one of a device on another.

    None where that is not so, or where a condition of the function asks for the device.
    """
    found = _on_either(a, b)
    if found is None or found.origin is None or found.origin.frame is None:
        return None
    return found if found.origin.frame.function is function and not _asks_for_devices(function) else None


def chosen_on_either(choice: cst.IfExp, a: Value, b: Value, file: ParsedFile) -> Tensor | None:
    """What `torch.zeros(3) if first else state` gives, with the state on a device; None where that is not so."""
    found = _on_either(a, b)
    if found is None or found.origin is None or _ABOUT_DEVICES.search(file.text(choice.test)):
        return None
    made = found.origin.spot.node
    return found if any(part is made for part in descendants(choice)) else None


def bound_on_either(node: cst.If, a: dict[str, Value], b: dict[str, Value], file: ParsedFile) -> dict[str, Tensor]:
    """The names that one side of a condition binds to a tensor made there on the host, and that else are on a device.

    a, b: the names as the two sides have left them.
    """
    found: dict[str, Tensor] = {}
    made: set[cst.CSTNode] | None = None
    for name, value in a.items():
        other = b.get(name)
        if other is None or other is value or (either := _on_either(value, other)) is None or either.origin is None:
            continue
        if made is None:
            made = set() if _ABOUT_DEVICES.search(file.text(node.test)) else set(descendants(node))
        if either.origin.spot.node in made:
            found[name] = either
    return found


def _on_either(a: Value, b: Value) -> Tensor | None:
    for here, there in ((a, b), (b, a)):
        if not isinstance(here, Tensor) or not isinstance(there, Tensor) or not there.place.on_device:
            continue
        if here.place.on_host and here.origin is not None and here.origin.source is not Source.OUTPUT:
            return replace(here, place=Placement(Where.EITHER, there.place.device), parameter=False)
    return None


def _asks_for_devices(function: FunctionInfo) -> bool:
    return any(
        isinstance(node, cst.If | cst.IfExp) and _ABOUT_DEVICES.search(function.file.text(node.test))
        for node in descendants(function.node)
    )

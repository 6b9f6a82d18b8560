"""Values that are on a device on one way through a function and on the host on another."""

from __future__ import annotations

import re
from dataclasses import replace

import libcst as cst

from devlint.analysis.frame import FunctionInfo
from devlint.analysis.placement import Placement, Where
from devlint.analysis.syntax import descendants
from devlint.analysis.values import Source, Tensor, Value

_ABOUT_DEVICES = re.compile(r"cuda|gpu|device|accelerator|xpu|mps|npu", re.IGNORECASE)


def either_place(function: FunctionInfo, a: Value, b: Value) -> Tensor | None:
    """What a function returns that makes a tensor on the host on one path and gives one of a device on another.

    None where that is not so, or where a condition of the function asks for the device.
    """
    for here, there in ((a, b), (b, a)):
        if not isinstance(here, Tensor) or not isinstance(there, Tensor) or not there.place.on_device:
            continue
        origin = here.origin
        if not here.place.on_host or origin is None or origin.source is Source.OUTPUT:
            continue
        if origin.frame is None or origin.frame.function is not function or _asks_for_devices(function):
            return None
        return replace(here, place=Placement(Where.EITHER, there.place.device), parameter=False)
    return None


def _asks_for_devices(function: FunctionInfo) -> bool:
    return any(
        isinstance(node, cst.If | cst.IfExp) and _ABOUT_DEVICES.search(function.file.module.code_for_node(node.test))
        for node in descendants(function.node)
    )

"""Automatic mixed precision that names CUDA: `torch.autocast("cuda")`, `torch.cuda.amp.GradScaler()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import keyword_value
from devlint.analysis.facts import FixedAmpDevice
from devlint.analysis.guards import Truth, of_value
from devlint.analysis.parsed import ParsedFile
from devlint.analysis.syntax import descendants, literal
from devlint.analysis.values import Const, DeviceValue, Flag, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

AUTOCAST = frozenset(["torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast"])
SCALER = frozenset(["torch.amp.GradScaler", "torch.GradScaler", "torch.amp.grad_scaler.GradScaler"])
CUDA_AUTOCAST = frozenset(["torch.cuda.amp.autocast", "torch.cuda.amp.autocast_mode.autocast"])
CUDA_SCALER = frozenset(["torch.cuda.amp.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler"])


class AmpDevices:
    """The uses of one run, by the call."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, FixedAmpDevice] = {}
        self._handlers: dict[ParsedFile, set[cst.CSTNode]] = {}

    def called(self, node: cst.Call, name: str, arguments: Arguments) -> None:
        """A call of something of a library, by its dotted name."""
        of_cuda = name in CUDA_AUTOCAST | CUDA_SCALER
        scaler = name in SCALER | CUDA_SCALER
        if not (of_cuda or scaler or name in AUTOCAST) or any(argument.star for argument in arguments):
            return
        fixed: cst.BaseExpression | None = None
        if not of_cuda:
            device = keyword_value(arguments, "device" if scaler else "device_type", 0)
            if device is not None and literal(device.node) != "cuda":
                return
            if device is None and not scaler:
                return
            fixed = device.node if device is not None else None
        position = None if scaler else 0 if of_cuda else 2
        enabled = keyword_value(arguments, "enabled", position)
        off = False
        if enabled is not None:
            off = isinstance(enabled.value, Const) and not enabled.value.value
            if isinstance(enabled.value, Flag) or of_value(enabled.value, enabled.node) is Truth.PRESENT:
                return
            if any(
                isinstance(part, cst.Attribute) and part.attr.value == "is_cuda" for part in descendants(enabled.node)
            ):
                return
        if (node in self.found and self.run.guarded) or (of_cuda and self._is_fallback(node)):
            return
        site = self.run.meetings.site(node)
        held = self._device_value(site.devices[0]) if site.devices else None
        known = held.is_object if isinstance(held, DeviceValue) else False if isinstance(held, Const) else None
        self.found[node] = FixedAmpDevice(site, node, scaler, fixed, off, known)

    def _is_fallback(self, node: cst.Call) -> bool:
        """Whether a call stands where today's way has failed: in an `except` clause."""
        file = self.run.frame.file
        handlers = self._handlers.get(file)
        if handlers is None:
            handlers = self._handlers[file] = {
                part
                for handler in descendants(file.module)
                if isinstance(handler, cst.ExceptHandler)
                for part in descendants(handler.body)
            }
        return node in handlers

    def _device_value(self, text: str) -> Value | None:
        """The value of a device expression in scope: a name, or an attribute of the running method's object."""
        root, _, rest = text.partition(".")
        value = self.run.find(root)
        if not rest or value is None:
            return value
        ref = getattr(value, "ref", None)
        return self.run.heap.attribute(ref, rest) if isinstance(ref, int) else None

"""Devices that a program names outright: `.cuda()`, `"cuda:0"`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.amp import SCALER
from devlint.analysis.cuda_only import sets
from devlint.analysis.devices import is_cuda_literal
from devlint.analysis.facts import CudaCall, CudaLiteral, LiteralUse, Receiver
from devlint.analysis.parsed import ParsedFile, is_test_file
from devlint.analysis.syntax import literal
from devlint.analysis.values import Const, External, Instance, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter


class HardCodedDevices:
    """The `.cuda()` calls and device literals of one run."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.calls: dict[cst.CSTNode, CudaCall] = {}
        self.literals: dict[cst.CSTNode, CudaLiteral] = {}
        self._in_defaults = False

    def called(self, node: cst.Call, receiver: Value, arguments: Arguments) -> None:
        if isinstance(receiver, External) and not receiver.name.startswith("builtins."):
            return
        if isinstance(receiver, Const) or (isinstance(receiver, Instance) and not receiver.cls.unknown_base):
            return
        if not _imports_torch(self.run.frame.file) or len(node.args) > 3:
            return
        self.run.meetings.device_used = True
        first = next((a for a in arguments if not a.keyword or a.keyword == "device"), None)
        fixed = first is not None and isinstance(literal(first.node), int | str) and literal(first.node) is not None
        flag = first is not None and isinstance(literal(first.node), bool)
        known = self.run.meetings.kind_of(receiver, node)
        site = self.run.meetings.site(node)
        if node in self.calls and self.calls[node].receiver is not Receiver.UNKNOWN:
            known = self.calls[node].receiver
        self.calls[node] = CudaCall(site, known, node, fixed and not flag, first is not None and not fixed and not flag)

    def literals_in(
        self, node: cst.Call, name: str, callee: Value, receiver: Value | None, arguments: Arguments
    ) -> None:
        if not _imports_torch(self.run.frame.file):
            return
        external = callee.name if isinstance(callee, External) else ""
        if external in SCALER:
            return
        for position, argument in enumerate(arguments):
            use: LiteralUse | None = None
            if argument.keyword in {"device", "map_location"}:
                use = LiteralUse.KEYWORD if argument.keyword == "device" else LiteralUse.MAP_LOCATION
            elif position == 0 and not argument.keyword:
                if external in {"torch.device", "torch.set_default_device", "torch.Generator"}:
                    use = LiteralUse.DEVICE
                elif name == "to" and receiver is not None and not isinstance(receiver, Const):
                    use = LiteralUse.MOVE
            elif name == "add_argument" and argument.keyword == "default":
                use = LiteralUse.DEFAULT
            if use is not None:
                use = LiteralUse.DEFAULT if self._in_defaults or self._sets_default() else use
                if use is LiteralUse.DEVICE and is_test_file(self.run.frame.file):
                    continue
                self._literal(argument.node, argument.value, use, node)
                if isinstance(made := argument.node, cst.Call) and is_test_file(self.run.frame.file):
                    self._device_given(made)

    def _device_given(self, made: cst.Call) -> None:
        """`device=torch.device("cuda")` in a test; elsewhere there it is most often what is compared with."""
        callee = self.run.evaluate(made.func)
        if isinstance(callee, External) and callee.name == "torch.device" and made.args:
            node = made.args[0].value
            self._literal(node, self.run.evaluate(node), LiteralUse.DEVICE, made)

    def _sets_default(self) -> bool:
        """`if device is None: device = torch.device("cuda")`, where `device` is a parameter."""
        frame = self.run.frame
        if frame.function is None or not frame.unset:
            return False
        parameters = {param.name.value for param in frame.function.parameters}
        return any(name in parameters and sets(frame.statement, name) for name in frame.unset)

    def _literal(self, node: cst.BaseExpression, value: Value, use: LiteralUse, call: cst.Call) -> None:
        text = literal(node)
        if is_cuda_literal(text):
            self.literals[node] = CudaLiteral(self.run.meetings.site(node), str(text), use, node, call)
        elif (
            isinstance(value, Const)
            and is_cuda_literal(value.value)
            and value.spot is not None
            and use is not LiteralUse.DEFAULT
        ):
            spot = value.spot
            if spot.node not in self.literals and spot.file is self.run.frame.file:
                site = self.run.meetings.site(node)
                self.literals[spot.node] = CudaLiteral(
                    replace(site, spot=spot, devices=(), loops=()),
                    str(value.value),
                    LiteralUse.VARIABLE,
                    spot.node,
                )

    @contextmanager
    def defaults(self) -> Iterator[None]:
        """While the default values of parameters are evaluated."""
        before, self._in_defaults = self._in_defaults, True
        try:
            yield
        finally:
            self._in_defaults = before

    def default_seen(self, param: cst.Param, value: Value) -> None:
        """A parameter whose default names CUDA: whoever calls may say otherwise."""
        if (
            isinstance(value, Const)
            and is_cuda_literal(value.value)
            and value.spot is not None
            and _imports_torch(self.run.frame.file)
        ):
            self.literals[value.spot.node] = CudaLiteral(
                self.run.meetings.site(value.spot.node), str(value.value), LiteralUse.DEFAULT, value.spot.node
            )


def _imports_torch(file: ParsedFile) -> bool:
    return "torch" in file.source.text

"""What a loop does on each of its turns that it could do once, or seldom: moves of constants, waits for the device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.created_moves import move_target
from devlint.analysis.facts import ConstantMovedInLoop, SynchronisingCall
from devlint.analysis.parsed import is_test_file
from devlint.analysis.surroundings import around, within
from devlint.analysis.syntax import descendants, dotted, root_name, target_names
from devlint.analysis.values import External, Source, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_MAKING = frozenset([Source.FACTORY, Source.DATA])
_BLOCKS = (cst.If, cst.IfExp, cst.BooleanOperation, cst.ExceptHandler, cst.MatchCase, cst.FunctionDef, cst.Lambda)


class LoopMoves:
    """The constants of one run that loops move again and again."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, ConstantMovedInLoop] = {}

    def call_seen(self, node: cst.Call, name: str, receiver: Value, arguments: Arguments) -> None:
        """A method call, once its parts are evaluated."""
        frame = self.run.frame
        if name not in {"to", "cuda"} or not frame.loops or node in self.found:
            return
        if not isinstance(receiver, Tensor) or not receiver.place.on_host or receiver.origin is None:
            return
        assert isinstance(node.func, cst.Attribute)
        moved, origin = dotted(node.func.value), receiver.origin
        target = move_target(arguments) if name == "to" else None
        if not moved or origin.source not in _MAKING or (name == "to" and target is None):
            return
        if is_test_file(frame.file) or (origin.frame is not None and origin.frame is not frame and "." not in moved):
            if origin.frame is not frame.module_frame:
                return
        loop = self._loop(node, moved, target.node if target is not None else None)
        if loop is None or within(loop, origin.spot.node):
            return
        bound = frame.bound.get(moved)
        made = origin.bound or origin.spot
        scope = frame.function.node if frame.function is not None else frame.file.module
        reads = [n for n in descendants(scope) if isinstance(n, cst.Name) and n.value == moved]
        alone = bound is not None and "." not in moved and len(reads) == 2
        self.found[node] = ConstantMovedInLoop(self.run.meetings.site(node), node, moved, loop, made, alone)

    def _loop(self, node: cst.Call, moved: str, device: cst.BaseExpression | None) -> cst.For | cst.While | None:
        """The outermost running loop that changes neither the tensor nor the device."""
        chosen: cst.For | cst.While | None = None
        for loop in reversed(self.run.frame.loops):
            if not isinstance(loop.node, cst.For | cst.While) or not within(loop.node.body, node):
                return chosen
            if isinstance(loop.node, cst.For) and isinstance(loop.node.iter, cst.List | cst.Tuple | cst.Set):
                return chosen
            if any(isinstance(outer, _BLOCKS) for outer in around(loop.node.body, node)):
                return chosen
            if changes(loop.node, moved) or (
                device is not None and changes(loop.node, root_name(device), immutable=True)
            ):
                return chosen
            chosen = loop.node
        return chosen


def changes(loop: cst.CSTNode, name: str, *, immutable: bool = False) -> bool:
    """Whether a loop binds a name, changes what it holds in place, or hands it to somebody who may.

    immutable: what it holds cannot be changed in place.
    """
    for node in descendants(loop):
        match node:
            case cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.AnnAssign(target=target):
                if _touches(target, name):
                    return True
            case cst.For(target=target) | cst.CompFor(target=target) | cst.NamedExpr(target=target):
                if _touches(target, name):
                    return True
            case cst.AsName(name=cst.BaseExpression() as target):
                if _touches(target, name):
                    return True
            case cst.Call() if immutable:
                pass
            case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method))) if (
                method.endswith("_") and dotted(owner) == name
            ):
                return True
            case cst.Call() if _may_change(node, name):
                return True
    return False


def _touches(target: cst.BaseExpression, name: str) -> bool:
    if name in target_names(target):
        return True
    while isinstance(target, cst.Subscript):
        target = target.value
    return dotted(target) == name or (isinstance(target, cst.Attribute) and dotted(target.value) == name)


_READERS = re.compile(r"^(torch|F|np|nn)\.|^(len|print|str|float|int|isinstance|range|zip|enumerate)$")


def _may_change(call: cst.Call, name: str) -> bool:
    given = any(dotted(arg.value) == name for arg in call.args)
    return given and not _READERS.search(dotted(call.func) or "?")


class Waits:
    """Calls of one run that make the host wait for the device on every turn of a loop over batches."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, SynchronisingCall] = {}

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """A call, once its parts are evaluated."""
        loops = self.run.frame.loops
        if not loops or node in self.found:
            return
        external = callee.name if isinstance(callee, External) else ""
        what = ""
        if name in _READS and isinstance(receiver, Tensor) and receiver.place.on_device:
            what = f".{name}()"
        elif external in _SHOWS and any(isinstance(a.value, Tensor) and a.value.place.on_device for a in arguments):
            what = f"{external.rpartition('.')[2]}()"
        elif external in _SYNCHRONISES and any(loop.over_batches for loop in loops):
            what = f"{external}()"
        if not what:
            return
        inner = next((loop.node for loop in reversed(loops) if isinstance(loop.node, cst.For | cst.While)), None)
        if inner is None or any(isinstance(outer, _BLOCKS) for outer in around(inner.body, node)):
            return
        if within(inner.body, node):
            self.found[node] = SynchronisingCall(self.run.meetings.site(node), node, what)


_READS = frozenset("item cpu tolist numpy".split())
_SHOWS = frozenset(f"builtins.{name}" for name in ("print", "float", "int", "bool", "str"))
_SYNCHRONISES = frozenset(
    ["torch.cuda.synchronize", "torch.accelerator.synchronize", "torch.xpu.synchronize", "torch.mps.synchronize"]
)

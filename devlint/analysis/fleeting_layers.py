"""Layers that a `forward` makes and runs: new weights at every call, on the host, that nobody trains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import heap as objects_of
from devlint.analysis.facts import LayerMadeInForward
from devlint.analysis.frame import FunctionInfo
from devlint.analysis.syntax import descendants, dotted, target_names
from devlint.analysis.torch_table import LOSSES
from devlint.analysis.values import Module

if TYPE_CHECKING:
    from devlint.analysis.frame import Frame
    from devlint.analysis.heap import Object
    from devlint.analysis.interpreter import Interpreter

_GIVEN_WEIGHTS = frozenset(
    """weight bias load_state_dict parameters to cuda register_parameter apply state_dict requires_grad_ data
    named_parameters weight_ih_l0 in_proj_weight""".split()
)
"""What a program uses of a layer that it makes on purpose, to give it weights of its own."""


class FleetingLayers:
    """The layers that live for one call."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self._found: dict[cst.CSTNode, LayerMadeInForward] = {}

    def facts(self) -> Iterator[LayerMadeInForward]:
        yield from self._found.values()

    def called(self, node: cst.CSTNode, module: Module) -> None:
        """A module with parameters is run; was it made by the forward that runs it?"""
        run = self.run
        info = run.objects[module.ref]
        made = info.spot.node
        frame = info.frame
        if made in self._found or frame is None or frame.function is None or run.offline or run.owned:
            return
        if not isinstance(made, cst.Call) or not _has_weights(run, info, made) or not run.place_of(module.ref).on_host:
            return
        if not any(frame is around for around in run.frame.chain()):
            return
        forward = _forward_around(frame)
        if forward is None or forward.function is None or _kept_or_filled(frame.function, made):
            return
        site = run.meetings.site(node)
        self._found[made] = LayerMadeInForward(site, info.spot, frame.function, forward.function, bool(forward.guard))


def _forward_around(frame: Frame) -> Frame | None:
    """The running `forward` that a layer was made in, itself or in a function that it calls."""
    for around in frame.chain():
        if around.function is None or around.function.name == "__init__":
            return None
        if around.function.name == "forward" and isinstance(around.receiver, Module):
            return around
    return None


def _has_weights(run: Interpreter, info: Object, made: cst.Call) -> bool:
    """Whether the call is a constructor, of something that is known to have parameters."""
    name = (info.external or dotted(made.func)).rpartition(".")[2]
    return name[:1].isupper() and name not in LOSSES and objects_of.holds_parameters(run.objects, run.heap, info.ref)


def _kept_or_filled(function: FunctionInfo, made: cst.Call) -> bool:
    """Whether the method keeps the layer somewhere, or gives it its weights or its place."""
    names = {
        name
        for node in descendants(function.node)
        if isinstance(node, cst.Assign) and _may_be(node.value, made)
        for target in node.targets
        for name in (target_names(target.target) or ["self"])
    }
    if "self" in names:
        return True
    for node in descendants(function.node):
        match node:
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=used)):
                if name in names and used in _GIVEN_WEIGHTS:
                    return True
            case cst.Assign(targets=targets, value=cst.Name(value=name)) if name in names:
                if any(not isinstance(target.target, cst.Name) for target in targets):
                    return True
            case cst.Return(value=cst.Name(value=name)) if name in names:
                return True
            case cst.Call(func=func, args=args) if not isinstance(func, cst.Name) or func.value not in names:
                if any(isinstance(arg.value, cst.Name) and arg.value.value in names for arg in args):
                    return True
    return False


def _may_be(value: cst.BaseExpression, made: cst.Call) -> bool:
    """Whether an expression gives what the call makes: the call, or a choice that holds it."""
    if value is made:
        return True
    return isinstance(value, cst.IfExp | cst.BooleanOperation) and any(part is made for part in descendants(value))

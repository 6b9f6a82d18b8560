"""Copies of models: `copy.deepcopy`, and the averaged models of `torch.optim.swa_utils`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.binding import batch_of
from devlint.analysis.calls import Arguments, escape, keyword_value
from devlint.analysis.factories import device_argument
from devlint.analysis.handlers import external
from devlint.analysis.values import UNKNOWN_VALUE, Loader, Module, Value, placement_of

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


@external("copy.deepcopy")
def _copy(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    value = arguments[0].value if arguments else UNKNOWN_VALUE
    return copied(run, value, node) if isinstance(value, Module) else value


def copied(run: Interpreter, value: Module, node: cst.CSTNode) -> Module:
    """A deep copy of a module: where the original was, and moved on its own from then on."""
    info = run.objects[value.ref]
    place = run.place_of(value.ref)
    copy = run.new_object(node, cls=info.cls, external=info.external, stateless=info.stateless, module=True)
    assert isinstance(copy, Module)
    target = run.objects[copy.ref]
    target.lists_parts, target.scatters = info.lists_parts, info.scatters
    for part in info.parts:
        target.parts.append(copied(run, part, node) if isinstance(part, Module) and part.ref != value.ref else part)
    for name in list(info.names):
        inner = run.heap.attribute(value.ref, name) or UNKNOWN_VALUE
        run.set_attribute(
            copy.ref, name, copied(run, inner, node) if isinstance(inner, Module) and inner.ref != value.ref else inner
        )
    run.heap.set_place(copy.ref, place)
    return copy


@external("torch.optim.swa_utils.AveragedModel")
def _averaged(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """Holds a copy of the model in `module`; https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema."""
    model = keyword_value(arguments, "model", 0)
    if model is None or not isinstance(model.value, Module):
        escape(run, arguments)
        return UNKNOWN_VALUE
    average = run.new_object(node, external=name, module=True)
    run.set_attribute(average.ref, "module", copied(run, model.value, node))
    run.heap.set_place(average.ref, device_argument(run, arguments) or run.place_of(model.value.ref))
    assert isinstance(average, Module)
    return average


@external("torch.optim.swa_utils.update_bn")
def _update_bn(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """Feeds a loader to a model, moved only where `device=` says so."""
    loader, model = keyword_value(arguments, "loader", 0), keyword_value(arguments, "model", 1)
    if loader is None or model is None or keyword_value(arguments, "device", 2) is not None:
        return UNKNOWN_VALUE
    if isinstance(loader.value, Loader) and isinstance(model.value, Module) and run.place_of(model.value.ref).on_device:
        if not placement_of(batch_of(loader.value)).on_device:
            run.meetings.doubts.add(node, "`update_bn` feeds the model from the host")
    return UNKNOWN_VALUE

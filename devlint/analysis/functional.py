"""`torch.func.functional_call`: a model that is run with parameters it is handed.

https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import Argument, Arguments, call_module, escape, keyword_value
from devlint.analysis.handlers import external
from devlint.analysis.values import UNKNOWN_VALUE, Items, Module, Table, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


@external("torch.func.functional_call", "torch.nn.utils.stateless.functional_call")
def _functional_call(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    model, given = keyword_value(arguments, "module", 0), keyword_value(arguments, "args", 2)
    handed = keyword_value(arguments, "parameter_and_buffer_dicts", 1)
    if model is None or not isinstance(model.value, Module):
        escape(run, arguments)
        return UNKNOWN_VALUE
    if handed is not None and not _may_be_its_own(handed.value, model.value):
        return UNKNOWN_VALUE
    return call_module(run, model.value, node, _spread(given) if given is not None else [])


def _spread(given: Argument) -> list[Argument]:
    """The positional arguments: a tuple of them, or the only one."""
    if isinstance(given.value, Items) and given.value.items is not None:
        shown = given.node.elements if isinstance(given.node, cst.Tuple) else ()
        nodes = [element.value for element in shown] or [given.node] * len(given.value.items)
        return [Argument(value, node) for value, node in zip(given.value.items, nodes, strict=False)]
    return [given]


def _may_be_its_own(parameters: Value, model: Module) -> bool:
    """Whether the parameters may be those of the model, or made of them: they are where the model is."""
    match parameters:
        case Table(element=Tensor(of=int() as ref)):
            return ref == model.ref
        case Items(items=tuple(items)):
            return all(_may_be_its_own(item, model) for item in items)
        case _:
            return True

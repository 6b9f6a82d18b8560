"""`torch.func`: a model that is run with parameters it is handed, and functions made of functions.

https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import Argument, Arguments, call_module, escape, keyword_value
from devlint.analysis.handlers import external
from devlint.analysis.values import LOST, UNKNOWN_VALUE, Function, Items, Module, Table, Tensor, Value

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
        spread = _spread(given) if given is not None else []
        owned = _owned(handed.value)
        for parameter in owned:
            run.meetings.parameters_fed(node, handed.node, parameter, spread)
        return Tensor(owned[0].place, zero_dim=None, grad=True) if owned else UNKNOWN_VALUE
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


def _owned(parameters: Value) -> list[Tensor]:
    """One parameter of each dict that is handed over."""
    match parameters:
        case Table(element=Tensor(of=int()) as element):
            return [element]
        case Items(items=tuple(items)):
            return [owned for item in items for owned in _owned(item)]
        case _:
            return []


@external("torch.func.stack_module_state")
def _stack(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    match arguments[0].value if arguments else None:
        case Items(element=Module(ref=ref)):
            here = Tensor(run.place_of(ref), parameter=True, grad=True, of=ref)
            both = (Table(here), Table(replace(here, grad=False)))
            return Items(both[0], both)
        case _:
            escape(run, arguments)
            return UNKNOWN_VALUE


@external("torch.func.vmap", "torch.vmap", "torch.func.functionalize", "torch.func.linearize")
def _mapped(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return arguments[0].value if arguments and isinstance(arguments[0].value, Function | Module) else UNKNOWN_VALUE


@external(*(f"torch.func.{name}" for name in "grad jacrev jacfwd hessian".split()))
def _derivative(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    function = arguments[0].value if arguments else UNKNOWN_VALUE
    return replace(function, derivative=True) if isinstance(function, Function) else UNKNOWN_VALUE


@external("torch.func.grad_and_value")
def _derivative_and_value(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return LOST

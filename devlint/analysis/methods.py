"""Methods of tensors, batches, modules, containers and loaders."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.arrays import method_of_array
from devlint.analysis.binding import batch_of
from devlint.analysis.calls import (
    Argument,
    Arguments,
    call_each,
    call_function,
    call_lost,
    call_module,
    call_unknown,
    call_value,
    escape,
    keyword_value,
)
from devlint.analysis.containers import entries_given, method_of_container
from devlint.analysis.custom_functions import apply_custom, is_custom_function, kept_by_context
from devlint.analysis.devices import cuda_tensor_type, names_a_dtype, target_of_move
from devlint.analysis.distributions import method_of_distribution
from devlint.analysis.forms import any_part
from devlint.analysis.gradients import backward
from devlint.analysis.indexes import may_reduce_to_one
from devlint.analysis.operands import index_put, operands_in, unlisted
from devlint.analysis.placement import HOME, UNKNOWN, Certainty, Device, Placement, Where, on
from devlint.analysis.syntax import literal
from devlint.analysis.torch_table import (
    INTEGER_RESULTS,
    KEEPS_SHAPE,
    LEGACY_TENSORS,
    MIXING,
    MODULE_QUERIES,
    MODULE_SELF,
    NEW,
    PLACEMENT_KEEPING_QUERIES,
    STRICT,
    ZERO_DIM_REDUCTIONS,
)
from devlint.analysis.tuple_results import several
from devlint.analysis.values import (
    ARRAY,
    SCALAR,
    UNKNOWN_VALUE,
    Array,
    Batch,
    Class,
    Const,
    Dataset,
    DeviceValue,
    Distribution,
    External,
    Function,
    Generator,
    Instance,
    Items,
    Loader,
    Method,
    Module,
    Modules,
    Optimizer,
    Super,
    Table,
    Tensor,
    Unknown,
    Value,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


def call_method(run: Interpreter, receiver: Value, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    match receiver:
        case Tensor() | Batch():
            return _tensor_method(run, receiver, name, node, arguments)
        case Module():
            return _module_method(run, receiver, name, node, arguments)
        case Items() | Table():
            return method_of_container(run, receiver, name, node, arguments)
        case Loader():
            return (
                receiver
                if name in {"__iter__"}
                else batch_of(receiver)
                if name in {"next", "__next__"}
                else UNKNOWN_VALUE
            )
        case Optimizer():
            run.meetings.order.used(receiver, name, node)
            if name == "step":
                run.meetings.worked()
            return UNKNOWN_VALUE
        case Array():
            return method_of_array(receiver, name, arguments)
        case Dataset():
            return Items(receiver.sample or Batch(receiver.place)) if name == "__iter__" else receiver
        case DeviceValue():
            return receiver
        case Distribution():
            return method_of_distribution(run, receiver, name, node, arguments)
        case Generator():
            return receiver if name in {"manual_seed", "set_state"} else UNKNOWN_VALUE
        case Const(value=str()):
            return SCALAR
        case Class(info=info) if name == "__init__" and info is not None:
            return UNKNOWN_VALUE
        case Super(cls=cls, receiver=inner):
            if (method := cls.method(name)) is not None:
                return call_function(
                    run, Function(method, run.modules.get(method.file) or cls.frame, inner), node, arguments
                )
            return call_method(run, inner, name, node, arguments) if name in {"to", "cuda", "cpu"} else UNKNOWN_VALUE
        case Modules():
            return call_each(run, receiver, name, node, arguments)
        case Unknown(lost=True) if name not in {"to", "cuda"}:
            return call_lost(run, node, arguments)
        case Unknown(symbol=symbol):
            return _unknown_method(run, symbol, name, node, arguments)
        case Class(info=info) if name == "apply" and is_custom_function(info):
            return apply_custom(run, info, node, arguments)
        case Instance() if kept_by_context(run, receiver, name, arguments):
            return UNKNOWN_VALUE
        case Instance():
            escape(run, arguments)
            return UNKNOWN_VALUE
        case Method(receiver=Module() | Instance() as owner, name="__dict__") if name == "update":
            for key, value in entries_given(arguments):
                run.set_attribute(owner.ref, key, value)
            return UNKNOWN_VALUE
        case _:
            return UNKNOWN_VALUE


# -- tensors ----------------------------------------------------------------------------------------------------


def moved(value: Tensor | Batch, place: Placement) -> Value:
    """The result of moving a tensor: a new value, that remembers where the old one came from.

    Moved to something that is on the host by neglect it follows that: it is where it should be.
    """
    stays = value.origin if not place.on_device and not place.on_host else None
    if isinstance(value, Tensor):
        return Tensor(
            place,
            stays,
            value.zero_dim,
            parameter=False,
            grad=value.grad,
            moved_from=value.origin,
            dims=value.dims,
            element=value.element,
        )
    return Batch(place, stays, value.origin, value.part)


def _tensor_method(
    run: Interpreter, receiver: Tensor | Batch, name: str, node: cst.CSTNode, arguments: Arguments
) -> Value:
    match name:
        case "to":
            return _tensor_to(run, receiver, arguments)
        case "cuda" | "xpu" | "npu":
            return moved(receiver, cuda_place(arguments))
        case "cpu":
            return moved(receiver, HOME)
        case "type_as" if arguments:
            return moved(receiver, placement_of(arguments[0].value))
        case "type":
            if arguments and cuda_tensor_type(arguments[0].value):
                return moved(receiver, cuda_place([]))
            if arguments and receiver.place.on_device and _host_type(arguments[0].value):
                return moved(receiver, HOME)
            return (
                receiver
                if arguments and not isinstance(arguments[0].value, Unknown)
                else replace(receiver, place=UNKNOWN)
            )
        case "numpy":
            run.meetings.host_reads(
                node,
                node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None,
                receiver,
            )
            return ARRAY
        case "backward":
            output = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None
            if output is None:
                run.meetings.worked()
                return UNKNOWN_VALUE
            return backward(run, output, receiver, node, arguments)
        case "detach":
            return replace(receiver, grad=False, parameter=False) if isinstance(receiver, Tensor) else receiver
    if isinstance(receiver, Batch):
        return _batch_method(run, receiver, name, node, arguments)
    if name in PLACEMENT_KEEPING_QUERIES:
        return SCALAR
    if name in NEW:
        device = keyword_value(arguments, "device")
        place = target_of_move(run, device.value, device.node) if device is not None else receiver.place
        return Tensor(place or UNKNOWN)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        own = (node.func.value, receiver)
        if name in {"index_put", "index_put_"} and arguments:
            return index_put(run, node, own, arguments)
        if tensors := operands_in(run, node, arguments):
            if name in MIXING:
                from devlint.analysis.expressions import operate

                return operate(run, node, [own, *tensors], name in STRICT)
            unlisted(run, name, node, [own, *tensors])
    if name in ZERO_DIM_REDUCTIONS and not arguments:
        return replace(receiver, zero_dim=True, parameter=False)
    if (parts := several(name, receiver, arguments)) is not None:
        return parts
    one = receiver.element or may_reduce_to_one(name, arguments, 0)
    if name in INTEGER_RESULTS:
        receiver = receiver if name in KEEPS_SHAPE else replace(receiver, dims=None)
        return replace(receiver, parameter=False, grad=False, element=one)
    if name in KEEPS_SHAPE:
        return replace(receiver, parameter=False)
    receiver = replace(receiver, dims=None)
    if name in {"indices", "_indices"}:  # of a sparse tensor: a row for each dimension
        return replace(receiver, parameter=False, grad=False, zero_dim=False, element=False, dims=2)
    if name in {"unsqueeze", "view", "reshape", "expand", "repeat", "flatten", "new", "expand_as", "view_as"}:
        return replace(receiver, parameter=False, zero_dim=False, element=False)
    return replace(receiver, parameter=False, element=one)


def _host_type(value: Value) -> bool:
    """`torch.FloatTensor` rather than `torch.cuda.FloatTensor`: a cast to it brings a tensor home."""
    return isinstance(value, External) and value.name.removeprefix("torch.") in LEGACY_TENSORS - {"Tensor"}


def _tensor_to(run: Interpreter, receiver: Tensor | Batch, arguments: Arguments) -> Value:
    target = keyword_value(arguments, "device") or keyword_value(arguments, "other") or keyword_value(arguments, "", 0)
    if target is None or target.keyword in {"dtype", "non_blocking", "copy", "memory_format"}:
        return receiver if arguments and not any(a.star for a in arguments) else replace(receiver, place=UNKNOWN)
    place = target_of_move(run, target.value, target.node)
    if place is None:
        if names_a_dtype(target.value, target.node):
            return receiver
        return moved(receiver, UNKNOWN)
    return moved(receiver, place)


def cuda_place(arguments: Arguments) -> Placement:
    index = arguments[0].value.value if arguments and isinstance(arguments[0].value, Const) else None
    return on(
        Device('"cuda"', Certainty.LITERAL, index if isinstance(index, int) and not isinstance(index, bool) else None)
    )


def _batch_method(run: Interpreter, receiver: Batch, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    whole = Batch(receiver.place, receiver.origin, receiver.moved_from)
    match name:
        case "items":
            pair = (SCALAR, replace(whole, part=True, form=any_part(receiver)))
            return Items(Items(UNKNOWN_VALUE, pair))
        case "values":
            return Items(replace(whole, part=True, form=any_part(receiver)))
        case "keys":
            return Items(SCALAR)
        case "size" | "dim" | "numel" | "item" | "tolist" | "nelement":
            return SCALAR
        case "get" | "pop" | "copy":
            return whole
        case "update":
            return UNKNOWN_VALUE
        case _:
            tensors = operands_in(run, node, arguments)
            if tensors and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
                own = (node.func.value, receiver)
                if name in MIXING:
                    from devlint.analysis.expressions import operate

                    return operate(run, node, [own, *tensors], name in STRICT)
                unlisted(run, name, node, [own, *tensors])
            return replace(receiver, form=None)


# -- modules ----------------------------------------------------------------------------------------------------


def _module_method(run: Interpreter, receiver: Module, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    info = run.objects[receiver.ref]
    match name:
        case "to":
            return _module_to(run, receiver, node, arguments)
        case "cuda" | "xpu" | "npu":
            run.move(receiver.ref, cuda_place(arguments))
            run.meetings.model_moved(receiver.ref, node)
            return receiver
        case "cpu":
            run.meetings.home_chosen()
            run.move(receiver.ref, HOME)
            return receiver
        case "parameters" | "buffers":
            return Items(_parameter(run, receiver))
        case "named_parameters" | "named_buffers":
            return Items(Items(UNKNOWN_VALUE, (SCALAR, _parameter(run, receiver))))
        case "state_dict" if not arguments:
            return Table(replace(_parameter(run, receiver), parameter=False, grad=False))
        case "children" | "modules" | "named_children" | "named_modules":
            return UNKNOWN_VALUE
        case "register_buffer" | "register_parameter" if len(arguments) >= 2:
            _register(run, receiver, arguments)
            return UNKNOWN_VALUE
        case "add_module" | "register_module" if len(arguments) >= 2:
            key = literal(arguments[0].node)
            run.set_attribute(receiver.ref, str(key) if isinstance(key, str) else f"#{id(node)}", arguments[1].value)
            return UNKNOWN_VALUE
        case "append" | "extend" | "insert" if info.lists_parts:
            info.parts.extend(a.value for a in arguments)
            return receiver
        case "forward" | "__call__":
            return call_module(run, receiver, node, arguments)
        case "register_forward_hook" | "register_full_backward_hook" if arguments:
            here = Tensor(run.place_of(receiver.ref), zero_dim=False, grad=name == "register_forward_hook")
            given = (receiver, Items(here, (here,)), here if here.grad else Items(here, (here,)))
            call_value(run, arguments[0].value, node, [Argument(value, arguments[0].node) for value in given])
            return UNKNOWN_VALUE
        case "get_submodule" | "__getitem__":
            return UNKNOWN_VALUE
    if name == "type" and arguments and cuda_tensor_type(arguments[0].value):
        run.move(receiver.ref, cuda_place([]))
        run.meetings.model_moved(receiver.ref, node)
        return receiver
    if name in MODULE_SELF:
        return receiver
    if name in MODULE_QUERIES:
        return UNKNOWN_VALUE
    if any(isinstance(a.value, Tensor | Batch) for a in arguments) and not name.startswith("_"):
        return call_module(run, receiver, node, arguments, method=name)
    return UNKNOWN_VALUE


def _parameter(run: Interpreter, module: Module) -> Tensor:
    """Any parameter of a module; what has none is nowhere."""
    return Tensor(run.place_of(module.ref), parameter=True, grad=True, of=module.ref)


def _module_to(run: Interpreter, receiver: Module, node: cst.CSTNode, arguments: Arguments) -> Value:
    target = keyword_value(arguments, "device") or keyword_value(arguments, "", 0)
    if target is None or target.keyword in {"dtype", "non_blocking", "memory_format"}:
        return receiver
    place = target_of_move(run, target.value, target.node)
    if place is None:
        if names_a_dtype(target.value, target.node):
            return receiver
        place = UNKNOWN
    if place.where is Where.HOME:
        run.meetings.home_chosen()
    run.move(receiver.ref, place)
    if place.on_device:
        run.meetings.model_moved(receiver.ref, node)
    return receiver


def _register(run: Interpreter, receiver: Module, arguments: Arguments) -> None:
    """A buffer or parameter goes where its module goes."""
    key = literal(arguments[0].node)
    value = arguments[1].value
    if isinstance(key, str):
        place = run.heap.place(receiver.ref)
        if isinstance(value, Tensor | Unknown):
            value = Tensor(place, parameter=True, zero_dim=value.zero_dim if isinstance(value, Tensor) else None)
        run.set_attribute(receiver.ref, key, value)


# -- unknown receivers ------------------------------------------------------------------------------------------


def _unknown_method(run: Interpreter, symbol: str, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """A method of something not known: moves of it are still moves, and tell what it is."""
    match name:
        case "to" | "cuda":
            place = _unknown_move(run, name, arguments)
            if place is None:
                return Unknown(symbol)
            run.meetings.symbol_moved(symbol, place, node)
            return Tensor(place, zero_dim=None) if symbol and run.meetings.uses.as_tensor(symbol) else UNKNOWN_VALUE
        case "backward":
            run.meetings.worked()
        case "step" if "optim" in symbol.lower() or symbol.lower().endswith("opt"):
            run.meetings.worked()
        case "eval" | "train" | "half" | "float":
            return Unknown(symbol)
        case "device":
            return UNKNOWN_VALUE
        case "items":
            return Items(Items(UNKNOWN_VALUE, (SCALAR, UNKNOWN_VALUE)))
        case _:
            if symbol:
                return call_unknown(run, f"{symbol}.{name}", node, arguments)
    escape(run, arguments)
    return UNKNOWN_VALUE


def _unknown_move(run: Interpreter, name: str, arguments: Arguments) -> Placement | None:
    if name == "cuda":
        return cuda_place(arguments)
    target = keyword_value(arguments, "device") or keyword_value(arguments, "", 0)
    return target_of_move(run, target.value, target.node) if target is not None else None

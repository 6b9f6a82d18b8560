"""Calls: of functions and classes of the project, of modules, of methods, and of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.frame import ClassInfo, Frame, FunctionInfo
from devlint.analysis.heap import is_stateless
from devlint.analysis.placement import UNKNOWN, Where, of_operation
from devlint.analysis.records import dataclass_instance, fields_of, is_dataclass, is_named_tuple, record
from devlint.analysis.syntax import dotted
from devlint.analysis.values import (
    LOST,
    UNKNOWN_VALUE,
    Batch,
    Choice,
    Class,
    Const,
    External,
    Function,
    Imported,
    Instance,
    Items,
    Method,
    Module,
    Modules,
    Origin,
    RecordType,
    Scalar,
    Source,
    Table,
    Tensor,
    Unknown,
    Value,
    join_all,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    value: Value
    node: cst.BaseExpression
    keyword: str = ""
    star: str = ""


Arguments = Sequence[Argument]
MAX_DEPTH = 14
"""Calls within calls; deeper ones give Unknown."""
MAX_RECURSION = 2
MAX_VISITS = 24
"""Times that one function is followed for one checked file."""
_NOWHERE: cst.BaseExpression = cst.Name("argument")
"""Stands for the text of an argument that `functools.partial` holds."""


def keyword_value(arguments: Arguments, name: str, position: int | None = None) -> Argument | None:
    """An argument by keyword, or by position where it may be given so."""
    for argument in arguments:
        if argument.keyword == name:
            return argument
    if position is not None:
        plain = [argument for argument in arguments if not argument.keyword and not argument.star]
        if position < len(plain):
            return plain[position]
    return None


def call(run: Interpreter, node: cst.Call) -> Value:
    """A call expression: the callee and the arguments are evaluated, then the callee is called."""
    from devlint.analysis.methods import call_method

    func = node.func
    receiver: Value | None = None
    if isinstance(func, cst.Attribute):
        receiver = run.evaluate(func.value)
        if isinstance(receiver, Module | Instance | External | Class | Imported):
            from devlint.analysis.expressions import attribute_of

            callee = attribute_of(run, receiver, func.attr.value, func)
        else:
            callee = Method(receiver, func.attr.value, func)
    else:
        callee = run.evaluate(func)
    arguments = evaluate_arguments(run, node)
    run.meetings.call_seen(node, receiver, callee, arguments)
    if isinstance(callee, Method):
        return call_method(run, callee.receiver, callee.name, node, arguments)
    return call_value(run, callee, node, arguments)


def call_each(run: Interpreter, modules: Modules, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """A method of one of several modules, or a call of it: done with each."""
    from devlint.analysis.expressions import attribute_of

    results: list[Value] = []
    for module in modules.each():
        callee = attribute_of(run, module, name, node) if name else module
        results.append(call_value(run, callee, node, arguments))
    if name in {"to", "cuda", "cpu", "train", "eval", "float", "half", "double"}:
        return modules
    return join_all(tuple(results))


def evaluate_arguments(run: Interpreter, node: cst.Call) -> list[Argument]:
    return [
        Argument(run.evaluate(arg.value), arg.value, arg.keyword.value if arg.keyword is not None else "", arg.star)
        for arg in node.args
    ]


def call_value(run: Interpreter, callee: Value, node: cst.CSTNode, arguments: Arguments) -> Value:
    from devlint.analysis.externals import call_external

    match callee:
        case Function(derivative=True):
            call_value(run, replace(callee, derivative=False), node, arguments)
            return gradients_of(arguments[0].value) if arguments else UNKNOWN_VALUE
        case Function(receiver=Module() as model, info=info) if info.name == "forward":
            return call_module(run, model, node, arguments)
        case Function(receiver=Module() as model, info=info):
            own = run.frame.receiver
            if not info.name.startswith("_") and not (isinstance(own, Module) and own.ref == model.ref):
                run.meetings.fed(node, model, arguments)
            return call_function(run, callee, node, arguments)
        case Function():
            return call_function(run, callee, node, arguments)
        case Class(info=info):
            return instantiate(run, info, node, arguments)
        case Module():
            return call_module(run, callee, node, arguments)
        case Modules():
            return call_each(run, callee, "", node, arguments)
        case Choice(options=options):
            return join_all(tuple(call_value(run, option, node, arguments) for option in options))
        case Instance(cls=cls) if (method := cls.method("__call__")) is not None:
            return call_function(run, Function(method, run.modules.get(method.file), callee), node, arguments)
        case External(name=name):
            return call_external(run, name, node, arguments)
        case Method(receiver=receiver, name=name):
            from devlint.analysis.methods import call_method

            return call_method(run, receiver, name, node, arguments)
        case RecordType(fields=fields):
            return record(fields, arguments)
        case Unknown(lost=True):
            return call_lost(run, node, arguments)
        case Unknown(symbol=symbol):
            return call_unknown(run, symbol, node, arguments)
        case _:
            return UNKNOWN_VALUE


def gradients_of(value: Value) -> Value:
    """The gradients for something: tensors where its tensors are."""
    match value:
        case Tensor() | Batch():
            return Tensor(value.place, zero_dim=value.zero_dim if isinstance(value, Tensor) else False)
        case Table(element=element) | Items(element=element, items=None):
            inner = gradients_of(element)
            return Table(inner) if isinstance(value, Table) else Items(inner)
        case Items(items=tuple(items)):
            inner_items = tuple(gradients_of(item) for item in items)
            return Items(join_all(inner_items), inner_items)
        case _:
            return UNKNOWN_VALUE


def call_unknown(run: Interpreter, symbol: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """Something that is not known is called: it may be a loss, a model, or anything."""
    tensors = [(a.node, a.value) for a in arguments if isinstance(a.value, Tensor | Batch)]
    name = symbol or (dotted(node.func) if isinstance(node, cst.Call) else "")
    if run.meetings.uses.is_loss_name(name) and len(tensors) >= 2:
        run.meetings.met(node, tensors, loss=True)
        return Tensor(of_operation([placement_of(v) for _, v in tensors]), zero_dim=True, grad=True)
    if symbol:
        run.meetings.fed_symbol(node, symbol, arguments)
    escape(run, arguments)
    return UNKNOWN_VALUE


def call_lost(run: Interpreter, node: cst.CSTNode, arguments: Arguments) -> Value:
    """A module that was lost track of is called: what is on a device may meet it there, or not."""
    run.meetings.doubts.lost(node, arguments)
    escape(run, arguments)
    return LOST


def escape(run: Interpreter, arguments: Arguments) -> None:
    """Host modules handed to code that is not seen: it may move them, in place."""
    for argument in arguments:
        match argument.value:
            case Module(ref=ref) if not run.objects[ref].stateless and run.place_of(ref).on_host:
                run.move(ref, UNKNOWN)
            case Modules():
                escape(run, [replace(argument, value=module) for module in argument.value.each()])
            case Items(items=tuple(items)):
                escape(run, [replace(argument, value=item) for item in items])


# -- functions --------------------------------------------------------------------------------------------------


def parameter_defaults(run: Interpreter, info: FunctionInfo, outer: Frame) -> dict[str, Value]:
    """The default values of a function's parameters, evaluated where the function stands."""
    defaults: dict[str, Value] = {}
    params = info.node.params
    with run.inside(outer):
        for param in (*params.posonly_params, *params.params, *params.kwonly_params):
            if param.default is not None:
                with run.meetings.hard_coded.defaults():
                    defaults[param.name.value] = value = run.evaluate(param.default)
                if "autocast" not in info.name:  # asked about there, and nothing is placed
                    run.meetings.hard_coded.default_seen(param, value)
    return defaults


def _note_models(run: Interpreter, info: FunctionInfo, env: dict[str, Value]) -> None:
    """Remember whether the parameters that a function calls are modules with parameters."""
    for name in info.called:
        match env.get(name):
            case None | Unknown():
                continue
            case Module(ref=ref):
                known = not is_stateless(run.objects, run.heap, ref)
            case _:
                known = False
        info.given.setdefault(name, []).append(known)


def call_function(run: Interpreter, function: Function, node: cst.CSTNode, arguments: Arguments) -> Value:
    info = function.info
    if info.wrapper is not None and not function.bare:
        own = [Argument(function.receiver, _NOWHERE)] if function.receiver is not None else []
        return call_value(run, info.wrapper, node, [*own, *arguments])
    depth = recursion = 0
    for frame in run.frame.chain():
        depth += 1
        recursion += frame.function is info
    if run.exhausted or recursion >= MAX_RECURSION or depth > MAX_DEPTH or info.visits >= MAX_VISITS:
        return UNKNOWN_VALUE
    outer = function.closure or run.modules.get(info.file)
    if outer is None:
        return UNKNOWN_VALUE
    plain = run.symbolic and not _tells_anything(run, function, arguments)
    if plain and (known := run.plain_calls.get(info)) is not None:
        return known
    if function.partial != ((), ()):
        arguments = [
            *(Argument(v, _NOWHERE) for v in function.partial[0]),
            *arguments,
            *(Argument(v, _NOWHERE, k) for k, v in function.partial[1]),
        ]
    env, symbolic = _bind_parameters(run, function, arguments, outer)
    frame = Frame(
        info.file,
        env,
        info,
        outer=outer,
        caller=run.frame,
        receiver=function.receiver,
        call=run.spot(node),
        symbolic=symbolic and run.frame.symbolic,
        owned=run.frame.owned or bool(info.owner and info.owner.owned),
        guard=int(info.guarded),
        for_cuda=int(info.for_cuda),
    )
    _note_models(run, info, env)
    info.visits += 1
    silent = any(name.rpartition(".")[2] in {"no_grad", "inference_mode"} for name in info.decorators)
    run.grad_off += silent
    try:
        result = run.run_body(frame, info)
        if frame.changed_in_place:
            _hand_back(run, function, frame, arguments)
        if plain:
            run.plain_calls[info] = result
        return result
    except RecursionError:
        return UNKNOWN_VALUE
    finally:
        run.grad_off -= silent


def _hand_back(run: Interpreter, function: Function, frame: Frame, arguments: Arguments) -> None:
    """What a call has put into the lists and dicts that it was handed is in those of the caller."""
    from devlint.analysis.binding import store_back

    names = [param.name.value for param in function.info.parameters]
    if function.receiver is not None and "staticmethod" not in function.info.decorators:
        names = names[1:]
    plain = [argument for argument in arguments if not argument.keyword]
    if any(argument.star for argument in arguments):
        return
    for name, argument in (*zip(names, plain, strict=False), *((a.keyword, a) for a in arguments if a.keyword)):
        changed = frame.env.get(name)
        if name in frame.changed_in_place and isinstance(changed, Items | Table) and argument.node is not _NOWHERE:
            if isinstance(argument.node, cst.Name | cst.Attribute | cst.Subscript):
                store_back(run, argument.node, changed)


def _tells_anything(run: Interpreter, function: Function, arguments: Arguments) -> bool:
    """Whether a call hands over something whose kind is known: else one run of the function serves for all."""
    receiver = function.receiver
    if isinstance(receiver, Module | Instance) and not run.objects[receiver.ref].symbolic:
        return True
    return any(not isinstance(a.value, Unknown | Const | Scalar | External) for a in arguments)


def _bind_parameters(
    run: Interpreter, function: Function, arguments: Arguments, outer: Frame
) -> tuple[dict[str, Value], bool]:
    info = function.info
    env = parameter_defaults(run, info, outer)
    positional = [param.name.value for param in info.parameters]
    params = info.node.params
    names = {*positional, *(param.name.value for param in params.kwonly_params)}
    given: list[Value] = []
    if function.receiver is not None and "staticmethod" not in info.decorators:
        own: Value = function.receiver
        if info.owner is not None and "classmethod" in info.decorators and not isinstance(own, Class):
            own = Class(info.owner)
        given.append(own)
    extra: dict[object, Value] = {}
    spread: Value | None = None
    for argument in arguments:
        if argument.star == "*":
            if isinstance(argument.value, Items) and argument.value.items is not None:
                given.extend(argument.value.items)
            else:
                spread = _element_of_spread(argument.value)
                given.extend([spread] * max(0, len(positional) - len(given)))
        elif argument.star == "**":
            if isinstance(argument.value, Table) and argument.value.entries is not None:
                env.update({str(k): v for k, v in argument.value.entries.items() if k in names})
            else:
                spread = _element_of_spread(argument.value)
                env.update({name: spread for name in names if name not in env or _is_none(env[name])})
        elif argument.keyword:
            if argument.keyword in names:
                env[argument.keyword] = argument.value
            extra[argument.keyword] = argument.value
        else:
            given.append(argument.value)
    env.update(zip(positional, given, strict=False))
    if isinstance(params.star_arg, cst.Param):
        rest = tuple(given[len(positional) :])
        env[params.star_arg.name.value] = Items(join_all(rest), rest) if spread is None else Items(spread)
    if params.star_kwarg is not None:
        env[params.star_kwarg.name.value] = Table(
            spread or UNKNOWN_VALUE, {k: v for k, v in extra.items() if k not in names} if spread is None else None
        )
    for name in names:
        env.setdefault(name, UNKNOWN_VALUE)
    return env, all(isinstance(env[name], Unknown | Const) for name in names)


def _element_of_spread(value: Value) -> Value:
    match value:
        case Batch():
            return Batch(value.place, value.origin, value.moved_from, part=True)
        case Items(element=element) | Table(element=element):
            return element
        case _:
            return UNKNOWN_VALUE


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


# -- classes and modules ----------------------------------------------------------------------------------------


def instantiate(run: Interpreter, info: ClassInfo, node: cst.CSTNode, arguments: Arguments) -> Value:
    """Make an object of a class of the project and run its `__init__`."""
    from devlint.analysis.loaders import loader_of

    if any(isinstance(b, External) and b.name.endswith("DataLoader") for cls in info.lineage() for b in cls.bases):
        return loader_of(run, arguments)
    if is_dataclass(info):
        return dataclass_instance(run, info, node, arguments)
    if is_named_tuple(info):
        return record(fields_of(info), arguments)
    info.visits += 1
    value = run.new_object(node, cls=info)
    init = info.method("__init__")
    if init is not None:
        outer = run.modules.get(init.file) or info.frame
        call_function(run, Function(init, outer, value), node, arguments)
    elif isinstance(value, Module):
        run.objects[value.ref].parts.extend(a.value for a in arguments)
    if info.unknown_base and isinstance(value, Module) and not info.owned and init is None:
        run.move(value.ref, UNKNOWN)
    return value


def call_module(
    run: Interpreter, module: Module, node: cst.CSTNode, arguments: Arguments, method: str = "forward"
) -> Value:
    """`model(x)`, `model.forward(x)`, or another method of a model whose class is not seen."""
    info = run.objects[module.ref]
    tensors: list[tuple[cst.BaseExpression, Value]] = [
        (a.node, a.value) for a in arguments if isinstance(a.value, Tensor | Batch)
    ]
    if info.stateless:
        return _call_stateless(run, info.external, node, tensors, arguments)
    place = run.place_of(module.ref)
    if info.scatters:
        for inner in info.parts:
            if isinstance(inner, Module) and run.place_of(inner.ref).on_host:
                run.meetings.fed(node, inner, arguments)
        run.meetings.transfers.cards.replicated(module, node, arguments)
        return Tensor(place if place.on_device else UNKNOWN, grad=True)
    run.meetings.fleeting.called(node, module)
    run.meetings.fed(node, module, arguments)
    if info.cls is not None and (function := info.cls.method(method)) is not None:
        outer = run.modules.get(function.file) or info.cls.frame
        result = call_function(run, Function(function, outer, module), node, arguments)
        if not isinstance(result, Unknown | Const):
            return _as_output(run, result, node, made_there=place.on_device)
    elif info.lists_parts and info.external.endswith("Sequential"):
        parts = [part for part in info.parts if isinstance(part, Module)]
        if len(parts) == len(info.parts) and any(_runs_ours(run, part) for part in parts):
            return _call_in_turn(run, parts, node, arguments)
    if place.where is Where.UNKNOWN or place.where is Where.SYMBOL:
        fed = of_operation([placement_of(value) for _, value in tensors])
        return Tensor(fed if fed.on_device else place, grad=not run.grad_off)
    return Tensor(place, Origin(run.spot(node), Source.OUTPUT), grad=not run.grad_off)


def _runs_ours(run: Interpreter, part: Module) -> bool:
    """Whether a layer is of the project, or a chain that may hold one."""
    info = run.objects[part.ref]
    return info.cls is not None or info.lists_parts


def _call_in_turn(run: Interpreter, parts: list[Module], node: cst.CSTNode, arguments: Arguments) -> Value:
    """What a chain of layers gives; those of the project are run, the others put out where they are."""
    value: Value = arguments[0].value if arguments else UNKNOWN_VALUE
    for part in parts:
        info = run.objects[part.ref]
        if info.cls is not None or info.lists_parts or not arguments:
            value = call_module(run, part, node, arguments)
        elif info.stateless:
            value = arguments[0].value
        else:
            value = Tensor(run.place_of(part.ref), Origin(run.spot(node), Source.OUTPUT), grad=not run.grad_off)
        arguments = [Argument(value, arguments[0].node)] if arguments else []
    return value


def _as_output(run: Interpreter, value: Value, node: cst.CSTNode, made_there: bool) -> Value:
    """What a forward returns on the host is an output of the model from here on.

    made_there: the model is on a device, so that what it returns on the host was made there by its own code.
    """
    match value:
        case Tensor(place=place, origin=Origin(in_module=True)) if place.on_host and made_there:
            return value
        case Tensor(place=place) if place.on_host:
            return replace(value, origin=Origin(run.spot(node), Source.OUTPUT), grad=not run.grad_off)
        case Batch(place=place) if place.on_host:
            return Tensor(place, Origin(run.spot(node), Source.OUTPUT), grad=not run.grad_off)
        case Tensor(grad=True) if run.grad_off:
            return replace(value, grad=False)
        case Items(items=tuple(items)):
            outputs = tuple(_as_output(run, item, node, made_there) for item in items)
            return Items(join_all(outputs), outputs)
        case _:
            return value


def _call_stateless(
    run: Interpreter,
    name: str,
    node: cst.CSTNode,
    tensors: list[tuple[cst.BaseExpression, Value]],
    arguments: Arguments,
) -> Value:
    from devlint.analysis.expressions import result_of
    from devlint.analysis.torch_table import LOSSES

    if not tensors:
        if name.rpartition(".")[2] in LOSSES:
            return Tensor(UNKNOWN, zero_dim=True, grad=True)
        return UNKNOWN_VALUE
    loss = name.rpartition(".")[2] in LOSSES
    if len(tensors) > 1:
        run.meetings.met(node, tensors, loss=loss)
    result = result_of(run, tensors)
    return replace(result, zero_dim=True, grad=True) if loss else result

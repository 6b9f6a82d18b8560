"""What each expression gives: one function a form, found by node type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from devlint.analysis import guards
from devlint.analysis.binding import (
    batch_of,
    bind,
    chosen_from,
    element_of,
    is_over_batches,
    known_key,
    part_of,
    subscript_key,
)
from devlint.analysis.calls import Argument, call, call_function
from devlint.analysis.containers import concatenated
from devlint.analysis.custom_functions import is_custom_function
from devlint.analysis.devices import as_device, holds_settings
from devlint.analysis.distributions import attribute_of_distribution
from devlint.analysis.forms import any_part, still_part
from devlint.analysis.guards import Truth
from devlint.analysis.indexes import takes_one
from devlint.analysis.loaders import is_dataset, sample_at
from devlint.analysis.paths import chosen_on_either
from devlint.analysis.placement import HOME, UNKNOWN, Where, of_operation, wherever
from devlint.analysis.syntax import NOT_LITERAL, dotted, literal, target_names
from devlint.analysis.torch_table import PLACEMENT_KEEPING_QUERIES
from devlint.analysis.values import (
    ARRAY_OR_NUMBER,
    LOST,
    SCALAR,
    TEXT,
    UNKNOWN_VALUE,
    Array,
    Batch,
    Class,
    Const,
    Dataset,
    DeviceValue,
    Distribution,
    External,
    Flag,
    Function,
    Imported,
    Instance,
    Items,
    Loader,
    Method,
    Module,
    Modules,
    Scalar,
    Source,
    Table,
    Tensor,
    Unknown,
    Value,
    join_all,
    join_values,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", Any], Value]
EXPRESSIONS: dict[type, Handler] = {}


def gives(*kinds: type) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for kind in kinds:
            EXPRESSIONS[kind] = handler
        return handler

    return register


EXPRESSIONS[cst.Call] = call


@gives(cst.Name)
def name(run: Interpreter, node: cst.Name) -> Value:
    match node.value:
        case "True":
            return Const(True)
        case "False":
            return Const(False)
        case "None":
            return Const(None)
        case other:
            return run.lookup(other)


@gives(cst.ConcatenatedString)
def concatenated_strings(run: Interpreter, node: cst.ConcatenatedString) -> Value:
    run.evaluate(node.left)
    run.evaluate(node.right)
    value = literal(node)
    return TEXT if value is NOT_LITERAL else Const(value, run.spot(node))


@gives(cst.SimpleString, cst.Integer, cst.Float)
def constant(run: Interpreter, node: cst.BaseExpression) -> Value:
    value = literal(node)
    return UNKNOWN_VALUE if value is NOT_LITERAL else Const(value, run.spot(node))


@gives(cst.FormattedString)
def formatted(run: Interpreter, node: cst.FormattedString) -> Value:
    for part in node.parts:
        if isinstance(part, cst.FormattedStringExpression):
            run.meetings.portability.shown(part.expression, run.evaluate(part.expression))
    return TEXT


@gives(cst.Attribute)
def attribute(run: Interpreter, node: cst.Attribute) -> Value:
    value = attribute_of(run, run.evaluate(node.value), node.attr.value, node)
    if isinstance(value, External):
        run.meetings.portability.named(node, value)
    elif run.project.watched:
        run.meetings.portability.attribute_read(node)
    return value


def attribute_of(run: Interpreter, owner: Value, name: str, node: cst.CSTNode) -> Value:
    match owner:
        case External(name=prefix):
            return External(f"{prefix}.{name}")
        case Imported(file=file):
            return run.project.attribute(run, file, name)
        case Tensor() | Batch():
            return _attribute_of_tensor(owner, name, node)
        case Module() | Instance() if name == "__dict__":
            return Method(owner, name, node)
        case Instance(cls=cls) if name == "save_for_backward" and is_custom_function(cls):
            return Method(owner, name, node)
        case Module(ref=ref) | Instance(ref=ref):
            return _attribute_of_object(run, owner, ref, name, node)
        case Class(info=info):
            if (method := info.method(name)) is not None:
                receiver = owner if "classmethod" in method.decorators else None
                return Function(method, run.modules.get(info.file), receiver)
            if name == "apply" and is_custom_function(info):
                return Method(owner, name, node)
            return info.attribute(name) or UNKNOWN_VALUE
        case Loader(dataset=Value() as dataset) if name == "dataset":
            return dataset
        case Dataset(tensors=tensors) if name == "tensors" and tensors:
            return Items(join_all(tensors), tensors)
        case Distribution():
            return attribute_of_distribution(owner, name, node)
        case DeviceValue(place=place):
            if name == "type":
                return DeviceValue(place, is_object=False)
            return SCALAR
        case Modules():
            return join_all(tuple(attribute_of(run, module, name, node) for module in owner.each()))
        case Unknown(symbol=symbol):
            owner_text = symbol or (dotted(node.value) if isinstance(node, cst.Attribute) else "")
            if name == "device" and not holds_settings(owner_text):
                return DeviceValue(wherever(symbol) if symbol else UNKNOWN)
            return LOST if owner.lost else Unknown(f"{symbol}.{name}" if symbol else "")
        case Table(entries=dict(entries)) if name in entries:
            return entries[name]
        case Items(items=tuple(items), names=names) if name in names:
            return items[names.index(name)]
        case _:
            return Method(owner, name, node)


def _attribute_of_tensor(owner: Tensor | Batch, name: str, node: cst.CSTNode) -> Value:
    if name == "device":
        return DeviceValue(owner.place, is_object=True)
    if name in {"is_cuda", "is_xpu", "is_mps"}:
        return Flag()
    if isinstance(owner, Tensor):
        if name in PLACEMENT_KEEPING_QUERIES:
            return SCALAR
        if name in {"T", "data", "grad", "mT", "H", "real", "imag"}:
            return replace(owner, parameter=False, grad=False)
        if name in {"values", "indices"}:  # of the named tuple that `max` or `topk` gives
            return replace(owner, parameter=False)
    elif name == "shape":
        return SCALAR
    elif owner.part and name in {"data", "grad", "T", "mT"}:
        return owner
    return Method(owner, name, node)


def _attribute_of_object(run: Interpreter, owner: Module | Instance, ref: int, name: str, node: cst.CSTNode) -> Value:
    if (value := run.heap.attribute(ref, name)) is not None:
        if isinstance(value, Tensor) and value.parameter and (here := run.heap.place(ref)).on_device:
            return replace(value, place=here, origin=None)  # it has moved with its module
        if isinstance(value, Tensor) and value.parameter and value.of is None and value.place.on_host:
            return replace(value, of=ref)
        return value
    cls = run.objects[ref].cls
    if cls is not None:
        if (method := cls.method(name)) is not None:
            function = Function(method, run.modules.get(method.file) or cls.frame, owner)
            if (
                "property" in method.decorators
                or "cached_property" in method.decorators
                or "functools.cached_property" in method.decorators
            ):
                from devlint.analysis.calls import call_function

                return call_function(run, function, node, [])
            if "staticmethod" in method.decorators:
                return replace(function, receiver=None)
            return function
        if (value := cls.attribute(name)) is not None:
            return value
    if isinstance(owner, Module):
        if name == "device":
            return DeviceValue(run.place_of(ref))
        if name in {"weight", "bias"} or (cls is None and name in {"data", "module"}):
            return owner if name == "module" else Tensor(run.place_of(ref), parameter=True, grad=True, of=ref)
        if cls is None or not run.objects[ref].symbolic:
            return Method(owner, name, node)
    return Unknown(f"{cls.name if cls else 'object'}.self.{name}")


@gives(cst.Subscript)
def subscript(run: Interpreter, node: cst.Subscript) -> Value:
    owner = run.evaluate(node.value)
    key = subscript_key(node)
    indices: list[tuple[cst.BaseExpression, Value]] = []
    for element in node.slice:
        match element.slice:
            case cst.Index(value=value):
                indices.append((value, run.evaluate(value)))
            case cst.Slice(lower=lower, upper=upper):
                for bound in (lower, upper):
                    if bound is not None:
                        run.evaluate(bound)
    run.meetings.transfers.indexes.used(node, owner, indices)
    if isinstance(owner, Table):
        key = known_key(node, indices)
    match owner:
        case Table(entries=dict(entries)) if key is not NOT_LITERAL:
            if key in entries:
                return entries[key]
            return part_of(owner.element, 0) if isinstance(owner.element, Batch) else owner.element
        case Table():
            return chosen_from(owner) or owner.element
        case Items() if isinstance(key, int):
            return part_of(owner, key)
        case Items():
            return owner if any(isinstance(e.slice, cst.Slice) for e in node.slice) else owner.element
        case Batch(part=True) if _adds_or_crosses_dimensions(node):
            return Tensor(owner.place, owner.origin, moved_from=owner.moved_from)
        case Batch():
            return still_part(owner, key) or replace(owner, part=not isinstance(key, str), form=any_part(owner, key))
        case Tensor() if _only_integers(node, indices):
            return owner.row(len(indices))
        case Tensor():
            zero_dim = None if owner.zero_dim is None else False
            dims = _dimensions_left(owner, node, indices)
            if dims is not None:
                return replace(owner, parameter=False, zero_dim=dims == 0, dims=dims, element=False)
            return replace(owner, parameter=False, zero_dim=zero_dim, dims=None, element=takes_one(node, indices))
        case Dataset() | Instance() if is_dataset(owner):
            return sample_at(run, owner, node)
        case Instance(cls=cls) if (getter := cls.method("__getitem__")) is not None and indices:
            arguments = [Argument(value, part) for part, value in indices]
            return call_function(
                run, Function(getter, run.modules.get(getter.file) or cls.frame, owner), node, arguments[:1]
            )
        case Loader():
            return batch_of(owner)
        case Array():
            for part, index in indices:
                run.meetings.host_reads(node, part, index)
            several = len(indices) < len(node.slice) or any(_takes_several(part, index) for part, index in indices)
            return owner if several else ARRAY_OR_NUMBER
        case Scalar():
            return owner
        case Module(ref=ref):
            inner = [v for v in run.objects[ref].parts if isinstance(v, Module)]
            return (
                inner[key]
                if isinstance(key, int) and -len(inner) <= key < len(inner)
                else Method(owner, "__getitem__", node)
            )
        case Unknown(symbol=symbol) if isinstance(key, str | int):
            return Unknown(f"{symbol}.{key}" if symbol else "")
        case External(name=name):
            return UNKNOWN_VALUE if name.startswith("builtins.") else External(name)
        case _:
            return UNKNOWN_VALUE


def _takes_several(node: cst.BaseExpression, index: Value) -> bool:
    """Whether an index of an array is a list of positions, a mask or `...`, so that the result is an array."""
    match index:
        case Array(maybe_number=False) | Items() | Batch() | Tensor(zero_dim=False, element=False):
            return True
        case _:
            return isinstance(node, cst.List | cst.ListComp | cst.Comparison | cst.Ellipsis)


def _dimensions_left(
    owner: Tensor, node: cst.Subscript, indices: Sequence[tuple[cst.BaseExpression, Value]]
) -> int | None:
    """How many dimensions a subscript of slices and integers leaves, where that is known."""
    if owner.dims is None or any(getattr(part.slice, "star", None) for part in node.slice):
        return None
    dims = owner.dims
    values = iter(indices)
    for part in node.slice:
        if isinstance(part.slice, cst.Slice):
            continue
        index, value = next(values)
        if _is_none(part.slice):
            dims += 1
        elif isinstance(value, Scalar) or (isinstance(value, Const) and isinstance(value.value, int)):
            dims -= 1
        elif not isinstance(index, cst.Ellipsis):
            return None
    return max(0, dims)


def _adds_or_crosses_dimensions(node: cst.Subscript) -> bool:
    """`labels[:, None]`, `labels[None]`: only tensors and arrays take this, and what it gives has dimensions."""
    kept = [isinstance(part.slice, cst.Slice) or _is_none(part.slice) for part in node.slice]
    return any(kept) and (len(kept) > 1 or _is_none(node.slice[0].slice))


def _is_none(part: cst.BaseSlice) -> bool:
    return isinstance(part, cst.Index) and isinstance(part.value, cst.Name) and part.value.value == "None"


def _only_integers(node: cst.Subscript, indices: Sequence[tuple[cst.BaseExpression, Value]]) -> bool:
    """Whether each index takes one element of its dimension."""
    if len(indices) < len(node.slice) or any(getattr(part.slice, "star", None) for part in node.slice):
        return False
    return all(_is_integer(part, value) for part, value in indices)


def _is_integer(part: cst.BaseExpression, value: Value) -> bool:
    if isinstance(part, cst.Ellipsis | cst.List | cst.Tuple | cst.Comparison):
        return False
    return isinstance(value, Scalar | Unknown) or (isinstance(value, Const) and isinstance(value.value, int))


@gives(cst.BinaryOperation)
def binary(run: Interpreter, node: cst.BinaryOperation) -> Value:
    left, right = run.evaluate(node.left), run.evaluate(node.right)
    if isinstance(node.operator, cst.Add) and isinstance(left, Items) and isinstance(right, Items):
        return concatenated(left, right, again=bool(run.frame.loops) and isinstance(node.left, cst.Name))
    if isinstance(node.operator, cst.Multiply):
        for value, other in ((left, right), (right, left)):
            if isinstance(value, Items) and isinstance(other, Const | Scalar):
                return Items(value.element)
    if isinstance(left, Const) and isinstance(left.value, str):
        return SCALAR
    strict = isinstance(node.operator, cst.MatrixMultiply)
    return operate(run, node, [(node.left, left), (node.right, right)], strict)


def operate(
    run: Interpreter, node: cst.CSTNode, operands: Sequence[tuple[cst.BaseExpression, Value]], strict: bool = False
) -> Value:
    """An operation: its tensors must share a device, but for 0-dim ones on the host where it is not strict."""
    tensors = [(part, value) for part, value in operands if isinstance(value, Tensor | Batch)]
    if not tensors:
        values = [value for _, value in operands]
        if arrays := [value for value in values if isinstance(value, Array)]:
            return next((array for array in arrays if not array.maybe_number), ARRAY_OR_NUMBER)
        return SCALAR if all(isinstance(value, Scalar | Const) for value in values) else UNKNOWN_VALUE
    run.meetings.met(node, tensors, strict=strict)
    run.meetings.doubts.meeting(operands)
    arrays = [value for _, value in operands if isinstance(value, Array)]
    if any(not array.maybe_number for array in arrays):  # numpy asks the tensor for its numbers
        for part, value in tensors:
            run.meetings.host_reads(node, part, value)
    elif arrays and any(value.place.on_device for _, value in tensors if isinstance(value, Tensor | Batch)):
        run.meetings.doubts.add(node, "an array of numpy may meet a tensor of a device")
    run.meetings.met_in_class(node, operands)
    return result_of(run, tensors)


def result_of(run: Interpreter, tensors: Sequence[tuple[cst.BaseExpression, Value]]) -> Tensor:
    """The tensor that an operation gives that has run on these operands."""
    values = [value for _, value in tensors]
    place = of_operation([placement_of(value) for value in values])
    here = [value for value in values if placement_of(value) == place] or values
    deciding = next((value for value in here if _is_output(value)), here[0])
    origin = deciding.origin if isinstance(deciding, Tensor | Batch) else None
    if origin is not None and any(placement_of(v).where is Where.HOME and not _is_number(v) for v in values):
        origin = replace(origin, stuck=True)
    return Tensor(
        place,
        origin,
        _one_number(values),
        grad=not run.grad_off and any(isinstance(v, Tensor) and (v.grad or v.parameter) for v in values),
        of=values[0].of if len(values) == 1 and isinstance(values[0], Tensor) else None,
        dims=_broadcast(values),
        element=all(isinstance(v, Tensor) and (v.element or v.zero_dim is not False) for v in values),
    )


def _is_number(value: Value) -> bool:
    return isinstance(value, Tensor) and value.zero_dim is not False


def _one_number(values: Sequence[Value]) -> bool | None:
    """Whether an operation done element by element gives a tensor of no dimension: not where one operand has some."""
    known = [value.zero_dim if isinstance(value, Tensor) else False for value in values]
    return False if False in known else None if None in known else True


def _broadcast(values: Sequence[Value]) -> int | None:
    """The dimensions of an operation done element by element."""
    dims = [(0 if value.zero_dim else value.dims) if isinstance(value, Tensor) else None for value in values]
    return None if None in dims else max(each for each in dims if each is not None)


def _is_output(value: Value) -> bool:
    return isinstance(value, Tensor) and value.origin is not None and value.origin.source is Source.OUTPUT


@gives(cst.Comparison)
def comparison(run: Interpreter, node: cst.Comparison) -> Value:
    outcome = guards.truth(run, node) if len(node.comparisons) == 1 else None
    operands = [node.left, *(target.comparator for target in node.comparisons)]
    if outcome in (Truth.PRESENT, Truth.ABSENT):
        return Flag(outcome is Truth.PRESENT)
    if isinstance(node.comparisons[0].operator, cst.Is | cst.IsNot | cst.In | cst.NotIn):
        return SCALAR
    result = operate(run, node, [(part, run.evaluate(part)) for part in operands])
    return replace(result, grad=False) if isinstance(result, Tensor) else result


@gives(cst.UnaryOperation)
def unary(run: Interpreter, node: cst.UnaryOperation) -> Value:
    if isinstance(node.operator, cst.Not):
        outcome = guards.truth(run, node)
        return Flag(outcome is Truth.PRESENT) if outcome in (Truth.PRESENT, Truth.ABSENT) else SCALAR
    value = run.evaluate(node.expression)
    if isinstance(value, Const):
        number = literal(node)
        return SCALAR if number is NOT_LITERAL else Const(number)
    return replace(value, parameter=False) if isinstance(value, Tensor) else value


@gives(cst.BooleanOperation)
def boolean(run: Interpreter, node: cst.BooleanOperation) -> Value:
    first = guards.truth(run, node.left)
    is_and = isinstance(node.operator, cst.And)
    side = {"guard": 0, "offline": 0}
    if is_and and first is Truth.PRESENT:
        side["guard"] = 1
    frame = run.frame
    frame.guard += side["guard"]
    try:
        second = run.evaluate(node.right)
        if is_and:
            run.meetings.portability.tested(node.right, second)
        right = guards.of_value(second, node.right)
    finally:
        frame.guard -= side["guard"]
    both = guards._both(first, right) if is_and else guards._either(first, right)
    if both in (Truth.PRESENT, Truth.ABSENT):
        return Flag(both is Truth.PRESENT)
    if both in (Truth.TRUE, Truth.FALSE) and Truth.UNKNOWN not in (first, right):
        return Const(both is Truth.TRUE)
    left = run.evaluate(node.left)
    if not is_and and isinstance(left, Const) and left.value is None:
        return second
    if not is_and:
        a, b = as_device(left), as_device(second)
        if a is None and b is not None:
            return UNKNOWN_VALUE
    return join_values(left, second)


@gives(cst.IfExp)
def choice(run: Interpreter, node: cst.IfExp) -> Value:
    from devlint.analysis.interpreter import join_present

    outcome = guards.truth(run, node.test)
    if outcome in (Truth.PRESENT, Truth.ABSENT):
        run.meetings.portability.cards.chosen(node)
    if outcome is Truth.TRUE:
        return run.evaluate(node.body)
    if outcome is Truth.FALSE:
        return run.evaluate(node.orelse)
    frame = run.frame
    frame.guard += outcome is Truth.PRESENT
    frame.offline += outcome is Truth.ABSENT
    first = run.evaluate(node.body)
    frame.guard += (outcome is Truth.ABSENT) - (outcome is Truth.PRESENT)
    frame.offline += (outcome is Truth.PRESENT) - (outcome is Truth.ABSENT)
    second = run.evaluate(node.orelse)
    frame.guard -= outcome is Truth.ABSENT
    frame.offline -= outcome is Truth.PRESENT
    if outcome is Truth.PRESENT:
        return join_present(first, second)
    if outcome is Truth.ABSENT:
        return join_present(second, first)
    a, b = as_device(first), as_device(second)
    if a is not None and b is not None and (a == HOME) != (b == HOME):
        return join_present(first, second)
    if isinstance(first, Tensor | Batch) and first.place.on_device and guards.asks_for_tensor(node.test):
        return first
    return chosen_on_either(node, first, second, frame.file) or run.join(first, second)


@gives(cst.Tuple, cst.List, cst.Set)
def display(run: Interpreter, node: cst.Tuple | cst.List | cst.Set) -> Value:
    items: list[Value] = []
    known = len(node.elements) <= 64
    for element in node.elements:
        value = run.evaluate(element.value)
        if isinstance(element, cst.StarredElement):
            if isinstance(value, Items) and value.items is not None:
                items.extend(value.items)
                continue
            known = False
            value = part_of(value, 0)
        items.append(value)
    return Items(join_all(tuple(items)), tuple(items) if known else None)


@gives(cst.Dict)
def table(run: Interpreter, node: cst.Dict) -> Value:
    entries: dict[object, Value] = {}
    elements: list[Value] = []
    known = len(node.elements) <= 64
    for element in node.elements:
        value = run.evaluate(element.value)
        if isinstance(element, cst.StarredDictElement):
            if isinstance(value, Table) and value.entries is not None:
                entries.update(value.entries)
                continue
            known = False
            elements.append(value.element if isinstance(value, Table) else part_of(value, 0))
            continue
        assert isinstance(element, cst.DictElement)
        key = literal(element.key)
        if key is NOT_LITERAL:
            known = False
            run.evaluate(element.key)
        else:
            entries[key] = value
        elements.append(value)
    return Table(join_all(tuple(elements)), entries if known else None)


@gives(cst.ListComp, cst.SetComp, cst.GeneratorExp)
def comprehension(run: Interpreter, node: cst.ListComp | cst.SetComp | cst.GeneratorExp) -> Value:
    with _comprehension_scope(run, node.for_in) as known:
        element = run.evaluate(node.elt)
    if known is not None:
        return Items(element, (element,) * known)
    return Items(element)


@gives(cst.DictComp)
def dict_comprehension(run: Interpreter, node: cst.DictComp) -> Value:
    with _comprehension_scope(run, node.for_in):
        run.evaluate(node.key)
        return Table(run.evaluate(node.value))


@contextmanager
def _comprehension_scope(run: Interpreter, for_in: cst.CompFor) -> Iterator[int | None]:
    frame = run.frame
    shadowed: dict[str, Value | None] = {}
    bound = frame.bound.copy()
    loops = len(frame.loops)
    guard = frame.guard
    known: int | None = None
    clause: cst.CompFor | None = for_in
    while clause is not None:
        iterable = run.evaluate(clause.iter)
        if (
            clause is for_in
            and not clause.ifs
            and clause.inner_for_in is None
            and isinstance(iterable, Items)
            and iterable.items is not None
        ):
            known = len(iterable.items)
        for variable in target_names(clause.target):
            shadowed.setdefault(variable, frame.env.get(variable))
        from devlint.analysis.frame import Loop

        frame.loops.append(Loop(clause, is_over_batches(run, iterable)))
        bind(run, clause.target, element_of(run, iterable, clause.target, clause), None, loop=clause)
        for test in clause.ifs:
            if guards.truth(run, test.test) is Truth.PRESENT:
                frame.guard += 1
        clause = clause.inner_for_in
    try:
        yield known
    finally:
        del frame.loops[loops:]
        frame.guard = guard
        frame.bound = bound
        for variable, value in shadowed.items():
            if value is None:
                frame.env.pop(variable, None)
            else:
                frame.env[variable] = value


@gives(cst.Lambda)
def lambda_(run: Interpreter, node: cst.Lambda) -> Value:
    info = run.function_info(node, "<lambda>", None)
    info.guarded = info.guarded or run.guarded
    info.for_cuda = info.for_cuda or run.for_cuda
    return Function(info, run.frame)


@gives(cst.NamedExpr)
def walrus(run: Interpreter, node: cst.NamedExpr) -> Value:
    value = run.evaluate(node.value)
    bind(run, node.target, value, node.value)
    return value


@gives(cst.Yield)
def yields(run: Interpreter, node: cst.Yield) -> Value:
    match node.value:
        case None:
            pass
        case cst.From(item=item):
            run.frame.yields.append(element_of(run, run.evaluate(item), item, item))
        case value:
            run.frame.yields.append(run.evaluate(value))
    return UNKNOWN_VALUE


@gives(cst.Await)
def awaits(run: Interpreter, node: cst.Await) -> Value:
    return run.evaluate(node.expression)


@gives(cst.StarredElement)
def starred(run: Interpreter, node: cst.StarredElement) -> Value:
    return run.evaluate(node.value)

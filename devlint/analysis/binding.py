"""Assigning values to targets, and taking the elements of things that are looped over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.attributes import kept_by
from devlint.analysis.forms import still_part
from devlint.analysis.frame import Binding, Frame
from devlint.analysis.heap import modules_in
from devlint.analysis.indexes import plain_indices
from devlint.analysis.parsed import Spot
from devlint.analysis.placement import Where, wherever
from devlint.analysis.syntax import NOT_LITERAL, literal
from devlint.analysis.values import (
    LOST,
    MOST_MODULES,
    SCALAR,
    UNKNOWN_VALUE,
    Batch,
    Choice,
    Class,
    Const,
    Dataset,
    Function,
    Instance,
    Items,
    Loader,
    Module,
    Modules,
    Origin,
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


def bind(
    run: Interpreter,
    target: cst.BaseExpression,
    value: Value,
    expression: cst.BaseExpression | None,
    loop: cst.CSTNode | None = None,
) -> None:
    """Bind a target, names and unpackings and attributes and subscripts alike.

    expression: the right-hand side where `value` is the whole of it. loop: the `for` that binds, if one does.
    """
    if type(target) is cst.Name:
        _bind_name(run, target.value, value, expression, loop)
        return
    match target:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            _unpack(run, list(elements), value, loop)
        case cst.StarredElement(value=inner):
            bind(run, inner, Items(value), None, loop)
        case cst.Attribute(value=owner, attr=cst.Name(value=name)):
            held = run.evaluate(owner)
            if name in {"data", "grad"} and isinstance(held, Tensor) and expression is not None:
                run.meetings.met(target, [(owner, held), (expression, value)], strict=True)
            _store_attribute(run, held, name, value)
        case cst.Subscript():
            _store_subscript(run, target, value, expression)


def _bind_name(
    run: Interpreter, name: str, value: Value, expression: cst.BaseExpression | None, loop: cst.CSTNode | None
) -> None:
    frame = run.frame
    statement = loop or frame.statement
    if isinstance(value, Batch | Tensor) and value.origin is not None and value.place.where is not Where.DEVICE:
        passing = isinstance(loop, cst.CompFor) and value.origin.source is not Source.LOADER
        names_part = not passing and (
            loop is not None or expression is None or isinstance(expression, cst.Subscript | cst.Call | cst.Name)
        )
        if statement is not None and value.origin.source is not Source.OUTPUT and names_part:
            bound = Spot(frame.file, statement)
            unnamed = tuple(other for other in value.origin.others if other.bound is None)
            value = replace(value, origin=replace(value.origin, part=name, bound=bound, others=unnamed))
    frame.changed_in_place.discard(name)
    if name in frame.globals_:
        run.global_of(frame.module_frame, name)
        frame.module_frame.env[name] = value
    else:
        frame.env[name] = value
    if statement is not None:
        frame.bound[name] = Binding(statement, expression)
        frame.binders.add(statement)


def forget(run: Interpreter, name: str) -> None:
    run.frame.env.pop(name, None)


def _unpack(run: Interpreter, elements: list[cst.BaseElement], value: Value, loop: cst.CSTNode | None) -> None:
    for index, element in enumerate(elements):
        part = part_of(value, index, len(elements))
        if isinstance(element, cst.StarredElement):
            part = Items(part)
        bind(run, element.value, part, None, loop)


def chosen_from(table: Table) -> Choice | None:
    """What a dict of classes or functions gives for a key that nobody knows; None where it is none of those."""
    options = tuple((table.entries or {}).values())
    if 1 < len(options) <= MOST_MODULES and all(isinstance(option, Class | Function) for option in options):
        return Choice(options)
    return None


def part_of(value: Value, index: int, total: int | None = None) -> Value:
    """One part of a value that is unpacked or indexed by a constant."""
    match value:
        case Items(items=tuple(items)) if -len(items) <= index < len(items) and total in (None, len(items)):
            return items[index]
        case Items(element=element):
            return element
        case Batch(place=place, origin=origin, moved_from=moved):
            return still_part(value, index) or Batch(place, origin, moved, part=True)
        case Tensor():
            return value.row()
        case Table(entries=dict()):
            return SCALAR
        case Dataset(sample=sample) if sample is not None:
            return sample
        case Loader():
            return batch_of(value)
        case Unknown(lost=True):
            return value
        case _:
            return UNKNOWN_VALUE


def _store_attribute(run: Interpreter, owner: Value, name: str, value: Value) -> None:
    match owner:
        case Module(ref=ref):
            held, place = run.heap.attribute(ref, name), run.heap.place(ref)
            if isinstance(held, Tensor) and held.parameter and isinstance(value, Tensor) and value.place == place:
                value = replace(value, origin=None, parameter=True)  # a registered name stays a buffer
            run.set_attribute(ref, name, kept_by(run, ref, name, value))
        case Instance(ref=ref):
            run.set_attribute(ref, name, value)
        case _:
            pass


def _store_subscript(
    run: Interpreter, target: cst.Subscript, value: Value, expression: cst.BaseExpression | None
) -> None:
    """`batch[key] = batch[key].to(device)`: the container now holds that value under the key, or under any key."""
    container = run.evaluate(target.value)
    indices = [(node, run.evaluate(node)) for node in plain_indices(target)]
    run.meetings.transfers.indexes.used(target, container, indices)
    if expression is not None:
        run.meetings.transfers.indexes.stored(target, container, indices, expression, value)
    run.meetings.containers.put(target.value, [value])
    changed = _with_part(container, known_key(target, indices), value)
    if changed is not None:
        store_back(run, target.value, changed)


def _with_part(container: Value, key: object, value: Value) -> Value | None:
    """A container that holds a value under a key; None where it is none that is followed."""
    match container:
        case Batch() if key is NOT_LITERAL:
            known = placement_of(value).where is not Where.UNKNOWN
            return Batch(placement_of(value), container.origin) if known else container
        case Batch():
            return Table(container, {key: value})
        case Table(element=element, entries=dict(entries)) if key is NOT_LITERAL:
            return Table(value if isinstance(element, Batch) or not entries else join_values(element, value))
        case Table(element=element, entries=dict(entries)):
            return Table(element, {**entries, key: value})
        case Table(element=element):
            return Table(value if isinstance(element, Unknown) else join_values(element, value))
        case Items(items=tuple(items)) if isinstance(key, int) and -len(items) <= key < len(items):
            changed = [*items]
            changed[key] = value
            return Items(join_all(tuple(changed)), tuple(changed))
        case Items(element=element):
            return Items(join_values(element, value))
        case _:
            return None


def store_back(run: Interpreter, node: cst.BaseExpression, value: Value) -> None:
    """Put a container that was changed in place back where it is kept."""
    match node:
        case cst.Name(value=name):
            _change_in_place(run, name, value)
        case cst.Attribute(value=owner, attr=cst.Name(value=name)):
            _store_attribute(run, run.evaluate(owner), name, value)
        case cst.Subscript(value=owner):
            changed = _with_part(run.evaluate(owner), subscript_key(node), value)
            if changed is not None:
                store_back(run, owner, changed)
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value="setdefault")), args=[key, *_]):
            changed = _with_part(run.evaluate(owner), literal(key.value), value)
            if changed is not None:
                store_back(run, owner, changed)


def _change_in_place(run: Interpreter, name: str, value: Value) -> None:
    frame: Frame | None = run.frame
    while frame is not None:
        if frame.outer is None and frame.waiting is not None:
            run.global_of(frame, name)
        if name in frame.env and (frame.cls is None or frame is run.frame):
            frame.env[name] = value
            frame.changed_in_place.add(name)
            return
        frame = frame.outer


def known_key(node: cst.Subscript, indices: Sequence[tuple[cst.BaseExpression, Value]]) -> object:
    """The key of a subscript: a literal, or what a single name holds."""
    key = subscript_key(node)
    if key is NOT_LITERAL and len(indices) == 1 and isinstance(only := indices[0][1], Const):
        return only.value if isinstance(only.value, str | int) else NOT_LITERAL
    return key


def subscript_key(node: cst.Subscript) -> object:
    match list(node.slice):
        case [cst.SubscriptElement(slice=cst.Index(value=value))]:
            return literal(value)
        case _:
            return NOT_LITERAL


def batch_of(loader: Loader) -> Value:
    return loader.batch if loader.batch is not None else Batch(loader.place, opaque=loader.opaque, form=loader.form)


def is_over_batches(run: Interpreter, iterable: Value) -> bool:
    match iterable:
        case Loader():
            return True
        case Items(element=element):
            return _holds_batch(element)
        case Unknown(symbol=symbol):
            return names_a_loader(symbol)
        case Instance(cls=cls):
            return cls.method("__iter__") is not None
        case _:
            return False


def _holds_batch(value: Value) -> bool:
    match value:
        case Batch(origin=origin):
            return origin is None or (origin.source is Source.LOADER and origin.bound is None)
        case Items(element=element, items=items):
            return any(_holds_batch(item) for item in items) if items is not None else _holds_batch(element)
        case _:
            return False


def names_a_loader(symbol: str) -> bool:
    """Whether a parameter or attribute is, by its name, what one loops over for batches."""
    last = symbol.rpartition(".")[2].lower()
    return (
        "loader" in last
        or last in {"dl", "train_dl", "valid_dl", "val_dl", "test_dl", "batches"}
        or last.endswith("_iter")
    )


def element_of(run: Interpreter, iterable: Value, target: cst.CSTNode, loop: cst.CSTNode) -> Value:
    """What one turn of a loop over `iterable` yields; host batches are told to come from this loop."""
    return as_from_loop(run, _element(run, iterable, target), target, fresh=not isinstance(iterable, Batch | Tensor))


def _element(run: Interpreter, iterable: Value, target: cst.CSTNode) -> Value:
    from devlint.analysis.calls import call_value

    match iterable:
        case Loader():
            return batch_of(iterable)
        case Batch() | Tensor():
            return part_of(iterable, 0)
        case Items(element=element):
            return element
        case Table():
            return SCALAR
        case Dataset(sample=sample):
            return sample or Batch(iterable.place)
        case Module(ref=ref) if run.objects[ref].lists_parts:
            return _any_layer(run, ref)
        case Unknown(symbol=symbol) if symbol and names_a_loader(symbol):
            return Batch(wherever(symbol))
        case Instance(cls=cls) if (method := cls.method("__iter__")) is not None:
            result = call_value(run, Function(method, run.modules.get(method.file) or cls.frame, iterable), target, [])
            return _element(run, result, target) if not isinstance(result, Instance | Module) else UNKNOWN_VALUE
        case _:
            return UNKNOWN_VALUE


def _any_layer(run: Interpreter, ref: int) -> Value:
    """What a loop over an `nn.ModuleList` yields: one layer of each kind."""
    layers = [run.objects[inner] for part in run.objects[ref].parts for inner in modules_in(part)]
    kinds = {(layer.cls, layer.external): layer for layer in reversed(layers)}
    one_of_each = tuple(layer.ref for layer in reversed(kinds.values()))
    if not one_of_each or len(one_of_each) > MOST_MODULES:
        return LOST if layers else UNKNOWN_VALUE
    return Module(one_of_each[0]) if len(one_of_each) == 1 else Modules(one_of_each)


def as_from_loop(run: Interpreter, value: Value, target: cst.CSTNode, fresh: bool = True) -> Value:
    match value:
        case Batch(place=place, origin=origin) if fresh and not place.on_device:
            if origin is not None and origin.source is not Source.LOADER:
                return value
            if origin is not None and origin.bound is not None:
                return value
            opaque = value.opaque or (origin is not None and origin.opaque)
            origin = Origin(run.spot(target), Source.LOADER, in_loop=True, opaque=opaque, form=value.form)
            return replace(value, origin=origin)
        case Tensor(origin=Origin(source=Source.LOADER)) if fresh and not value.place.on_device:
            return replace(value, origin=Origin(run.spot(target), Source.LOADER, in_loop=True))
        case Items(items=tuple(items)):
            return Items(
                as_from_loop(run, value.element, target, fresh),
                tuple(as_from_loop(run, item, target, fresh) for item in items),
                value.names,
            )
        case Items(element=element) if _holds_batch(element):
            return Items(as_from_loop(run, element, target, fresh))
        case Table(entries=dict(entries)):
            return Table(
                as_from_loop(run, value.element, target, fresh),
                {key: as_from_loop(run, item, target, fresh) for key, item in entries.items()},
            )
        case _:
            return value

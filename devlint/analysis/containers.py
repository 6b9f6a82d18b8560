"""Lists, tuples and dicts: what their methods put in and take out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.binding import part_of, store_back
from devlint.analysis.calls import Argument, Arguments, escape
from devlint.analysis.syntax import NOT_LITERAL, literal
from devlint.analysis.values import SCALAR, UNKNOWN_VALUE, Const, Items, Table, Unknown, Value, join_all, join_values

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


def grown(held: Items, added: Value) -> Items:
    """A list once more is put into it, of which the places are not told apart."""
    return Items(added if held.items == () else join_values(held.element, added))


def concatenated(left: Items, right: Items, again: bool = False) -> Items:
    """`left + right`. again: it may be done any number of times, so that nobody knows how long the result is."""
    if left.items is not None and right.items is not None and not again:
        both = (*left.items, *right.items)
        return Items(join_all(both), both)
    if right.items == ():
        return left
    return grown(left, right.element)


def method_of_container(
    run: Interpreter, receiver: Items | Table, name: str, node: cst.CSTNode, arguments: Arguments
) -> Value:
    """A method of a list, a tuple, a set or a dict; one that changes it in place puts the changed one back."""
    target = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None
    if isinstance(receiver, Table):
        return _method_of_dict(run, receiver, name, target, arguments)
    if name in {"append", "extend", "insert"}:
        run.meetings.containers.put(target, [argument.value for argument in arguments])
    match name:
        case "append" | "add" | "appendleft" if arguments and target is not None:
            changed = grown(receiver, arguments[0].value)
            if isinstance(changed.element, Unknown):
                escape(run, [arguments[0], Argument(receiver.element, arguments[0].node)])
            store_back(run, target, changed)
            return UNKNOWN_VALUE
        case "insert" if len(arguments) > 1 and target is not None:
            store_back(run, target, grown(receiver, arguments[1].value))
            return UNKNOWN_VALUE
        case "extend" if arguments and target is not None:
            store_back(run, target, grown(receiver, part_of(arguments[0].value, 0)))
            return UNKNOWN_VALUE
        case "clear" if target is not None:
            store_back(run, target, Items(UNKNOWN_VALUE, ()))
            return UNKNOWN_VALUE
        case "pop" | "popleft" | "__next__":
            return receiver.element
        case "copy":
            return receiver
        case _:
            return UNKNOWN_VALUE


def _method_of_dict(
    run: Interpreter, receiver: Table, name: str, target: cst.BaseExpression | None, arguments: Arguments
) -> Value:
    match name:
        case "items":
            pairs = _pairs(receiver.entries) if receiver.entries is not None else None
            return Items(Items(UNKNOWN_VALUE, (SCALAR, receiver.element)), pairs)
        case "values":
            return Items(receiver.element, tuple(receiver.entries.values()) if receiver.entries is not None else None)
        case "keys":
            return Items(SCALAR)
        case "get" | "pop" | "setdefault" if arguments:
            key = literal(arguments[0].node)
            if receiver.entries is not None and key in receiver.entries:
                return receiver.entries[key]
            if len(arguments) < 2 or name == "pop":
                return receiver.element
            unheld = receiver.entries is not None and key is not NOT_LITERAL
            return arguments[1].value if unheld else _either(receiver.element, arguments[1].value)
        case "copy":
            return receiver
        case "update" if target is not None:
            store_back(run, target, _updated(receiver, arguments))
            return UNKNOWN_VALUE
        case "clear" if target is not None:
            store_back(run, target, Table(UNKNOWN_VALUE, {}))
            return UNKNOWN_VALUE
        case _:
            return UNKNOWN_VALUE


def _pairs(entries: dict[object, Value]) -> tuple[Value, ...]:
    return tuple(Items(UNKNOWN_VALUE, (Const(key), value)) for key, value in entries.items())


def _either(held: Value, given: Value) -> Value:
    return given if isinstance(held, Unknown) else join_values(held, given)


def entries_given(arguments: Arguments) -> Iterator[tuple[str, Value]]:
    """What `update(other, name=value, **more)` puts in, as far as its keys are seen."""
    for argument in arguments:
        match argument.value:
            case value if argument.keyword:
                yield argument.keyword, value
            case Table(entries=dict(entries)):
                yield from ((key, value) for key, value in entries.items() if isinstance(key, str))


def _updated(table: Table, arguments: Arguments) -> Table:
    """A dict after `update`, where what it is given is seen."""
    entries = dict(table.entries) if table.entries is not None else None
    for argument in arguments:
        if argument.keyword:
            more: dict[object, Value] | None = {argument.keyword: argument.value}
        else:
            more = argument.value.entries if isinstance(argument.value, Table) else None
        if more is None or entries is None:
            return Table(UNKNOWN_VALUE)
        entries.update(more)
    return Table(join_all(tuple((entries or {}).values())), entries)

"""Records: named tuples and dataclasses, whose fields hold what they were made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.frame import ClassInfo, decorator_names
from devlint.analysis.syntax import literal
from devlint.analysis.values import (
    UNKNOWN_VALUE,
    External,
    Instance,
    Items,
    Module,
    RecordType,
    Table,
    Value,
    join_all,
)

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter


def named_tuple_type(arguments: Arguments) -> Value:
    """What `namedtuple("Transition", ("state", "action"))` makes; `Unknown` where the fields are computed."""
    if len(arguments) < 2:
        return UNKNOWN_VALUE
    match arguments[1].node:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            names = [
                literal(e.value.elements[0].value if isinstance(e.value, cst.Tuple) and e.value.elements else e.value)
                for e in elements
            ]
        case node if isinstance(text := literal(node), str):
            names = list(text.replace(",", " ").split())
        case _:
            return UNKNOWN_VALUE
    return RecordType(tuple(name for name in names if isinstance(name, str)))


def record(fields: tuple[str, ...], arguments: Arguments) -> Items:
    """A named tuple: an element for each field."""
    values: dict[str, Value] = dict.fromkeys(fields, UNKNOWN_VALUE)
    for name, value in given(fields, arguments):
        values[name] = value
    items = tuple(values.values())
    return Items(join_all(items), items, fields)


def given(fields: tuple[str, ...], arguments: Arguments) -> list[tuple[str, Value]]:
    """Which field each argument fills; what `*rows` holds fills all that are left."""
    filled: list[tuple[str, Value]] = []
    position = 0
    for argument in arguments:
        if argument.star == "**":
            if isinstance(argument.value, Table) and argument.value.entries is not None:
                filled += [(str(key), value) for key, value in argument.value.entries.items() if key in fields]
        elif argument.star:
            match argument.value:
                case Items(items=tuple(items)):
                    filled += zip(fields[position:], items, strict=False)
                    position += len(items)
                case Items(element=element):
                    filled += [(name, element) for name in fields[position:]]
                    position = len(fields)
                case _:
                    position = len(fields)
        elif argument.keyword:
            filled += [(argument.keyword, argument.value)] if argument.keyword in fields else []
        elif position < len(fields):
            filled.append((fields[position], argument.value))
            position += 1
    return filled


def is_dataclass(info: ClassInfo) -> bool:
    return any(name.endswith("dataclass") for name in decorator_names(info.node))


def is_named_tuple(info: ClassInfo) -> bool:
    return any(
        isinstance(base, External) and base.name in {"typing.NamedTuple", "typing_extensions.NamedTuple"}
        for base in info.bases
    )


def fields_of(info: ClassInfo) -> tuple[str, ...]:
    """The annotated names of a class body, in order."""
    return tuple(
        statement.target.value
        for line in info.node.body.body
        if isinstance(line, cst.SimpleStatementLine)
        for statement in line.body
        if isinstance(statement, cst.AnnAssign) and isinstance(statement.target, cst.Name)
    )


def dataclass_instance(run: Interpreter, info: ClassInfo, node: cst.CSTNode, arguments: Arguments) -> Value:
    """An object whose generated `__init__` keeps its arguments."""
    info.visits += 1
    value = run.new_object(node, cls=info)
    assert isinstance(value, Module | Instance)
    for name, argument in given(fields_of(info), arguments):
        run.set_attribute(value.ref, name, argument)
    return value

"""The top level of a file that others import: which of its statements a name hangs on.

A package's `__init__` and its tools are imported by every file. To run all of them for each checked file cost more than
everything else, and nearly all of it is never asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.owners import owns
from devlint.analysis.syntax import children, descendants, dotted, root_name

if TYPE_CHECKING:
    from devlint.analysis.values import Value

STAR = "*"
"""Stands for every name that `from module import *` may bind."""


@dataclass(frozen=True, slots=True)
class TopLevel:
    """first: statements to run at once. by_name: those that bind a name or may change what it holds, in order."""

    first: tuple[cst.CSTNode, ...]
    by_name: dict[str, tuple[cst.CSTNode, ...]]


@dataclass(eq=False, slots=True)
class Waiting:
    """What one run has not run yet of a top level.

    kept: what its statements have bound; a name asked for on one side of a condition is known on the other.
    """

    names: dict[str, tuple[cst.CSTNode, ...]]
    ran: set[cst.CSTNode] = field(default_factory=set)
    kept: dict[str, Value] = field(default_factory=dict)


def top_level(module: cst.Module) -> TopLevel:
    """Sort the statements of a module by the names that hang on them.

    Imports run at once: they look nothing up before it is asked for, and tell which framework a file belongs to.
    """
    fills = _tables_filled(module)
    first: list[cst.CSTNode] = []
    by_name: dict[str, list[cst.CSTNode]] = {}
    for statement in module.body:
        if _only_imports(statement) or any(owns(name) for name in _imported(statement)):
            first.append(statement)
            continue
        decorators = statement.decorators if isinstance(statement, cst.ClassDef | cst.FunctionDef) else ()
        tables = [table for one in decorators for table in fills.get(root_name(one.decorator), ())]
        for name in dict.fromkeys((*_hanging_on(statement), *tables)):
            by_name.setdefault(name, []).append(statement)
    return TopLevel(tuple(first), {name: tuple(statements) for name, statements in by_name.items()})


def _tables_filled(module: cst.Module) -> dict[str, frozenset[str]]:
    """By function of the file: the names whose entries it sets, as a decorator does that registers what it is given."""
    found: dict[str, frozenset[str]] = {}
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef):
            targets = (node.target for node in descendants(statement.body) if type(node) is cst.AssignTarget)
            names = frozenset(root_name(target) for target in targets if isinstance(target, cst.Subscript))
            if names:
                found[statement.name.value] = names
    return found


def _only_imports(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and all(
        isinstance(small, cst.Import)
        or (isinstance(small, cst.ImportFrom) and not isinstance(small.names, cst.ImportStar))
        for small in statement.body
    )


def _imported(statement: cst.CSTNode) -> Iterator[str]:
    for node in _own(statement):
        match node:
            case cst.Import(names=names):
                yield from (dotted(alias.name) for alias in names)
            case cst.ImportFrom(module=cst.CSTNode() as module, names=names) if not isinstance(names, cst.ImportStar):
                yield from (f"{dotted(module)}.{dotted(alias.name)}" for alias in names)


def _hanging_on(statement: cst.CSTNode) -> Iterator[str]:
    """Names that a statement binds, and names that stand in a call that is a statement: `model.to(device)`."""
    for node in _own(statement):
        match node:
            case cst.FunctionDef() | cst.ClassDef():
                yield node.name.value
            case cst.ImportFrom(names=cst.ImportStar()):
                yield STAR
            case cst.Import(names=names) | cst.ImportFrom(names=tuple() | list() as names):
                for alias in names:
                    named = alias.asname.name if alias.asname is not None else alias.name
                    yield dotted(named).partition(".")[0]
            case cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.AugAssign(target=target):
                yield from _names(target)
            case cst.For(target=target) | cst.NamedExpr(target=target) | cst.AsName(name=target):
                yield from _names(target)
            case cst.Expr(value=value):
                yield from _names(value)
            case cst.MatchAs(name=cst.Name(value=name)) | cst.MatchStar(name=cst.Name(value=name)):
                yield name


def _own(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes of a statement that run with it, and the definitions among them, but not what those hold."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node) not in _DEFINITIONS:
            waiting += children(node)


_DEFINITIONS = frozenset({cst.FunctionDef, cst.ClassDef, cst.Lambda})


def _names(node: cst.CSTNode) -> Iterator[str]:
    return (part.value for part in _own(node) if isinstance(part, cst.Name))

"""Names that code reads and nothing binds: a fix must not add any."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator

_RUN_IN_PLACE = frozenset(["listcomp", "setcomp", "dictcomp", "genexpr", "lambda"])
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def unbound_names(text: str) -> frozenset[tuple[str, str]]:
    """The reads of global names that an import of the file leaves unbound, as (function, name).

    What only `if __name__ == "__main__":` binds is unbound for whoever imports the file. Nothing is said of a text
    that this Python cannot compile, nor of a file with `from x import *`.
    """
    try:
        tree = ast.parse(text)
        table = symtable.symtable(text, "<fixed>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    body = [statement for statement in tree.body if not _asks_for_main(statement)]
    bound = {*_bound(body), *dir(builtins), "__file__", "__name__", "__doc__", "__spec__", "__path__"}
    if "*" in bound:
        return frozenset()
    found: set[tuple[str, str]] = set()
    in_main = bound.union(_bound(tree.body))
    waiting = [(table, in_main)]
    while waiting:
        scope, known = waiting.pop()
        waiting += [(child, known if child.get_name() in _RUN_IN_PLACE else bound) for child in scope.get_children()]
        for symbol in scope.get_symbols():
            name = symbol.get_name()
            if name in known or not symbol.is_referenced():
                continue
            if symbol.is_global() or (scope is table and not symbol.is_assigned()):
                found.add((scope.get_name(), name))
    return frozenset(found)


def _asks_for_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test)
    )


def _bound(statements: list[ast.stmt]) -> Iterator[str]:
    """Names that statements at the top level bind, and what functions bind as `global`."""
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield (asname or name).partition(".")[0]
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
        if isinstance(node, _SCOPES):
            yield from (name for inner in ast.walk(node) if isinstance(inner, ast.Global) for name in inner.names)
        else:
            waiting += ast.iter_child_nodes(node)

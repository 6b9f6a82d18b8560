"""Reading LibCST nodes: names, literals, and a walk that skips whitespace."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import libcst as cst

_SILENT_FIELDS = frozenset(
    {"lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "semicolon", "equal", "dot", "colon"}
    | {
        "leading_lines",
        "lines_after_decorators",
        "header",
        "footer",
        "trailing_whitespace",
        "indent",
        "leading_whitespace",
    }
)
_LEAVES = (cst.Name, cst.Integer, cst.Float, cst.Imaginary, cst.SimpleString, cst.FormattedStringText)
_FIELDS: dict[type, tuple[str, ...]] = dict.fromkeys(_LEAVES, ())
_IS_NODE: dict[type, bool] = {}
"""By class: whether its objects are nodes. `isinstance` asks an abstract base class, at ten times the cost."""


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The child nodes that carry meaning, in source order where LibCST keeps it.

    A table of fields by node class: LibCST's own `children` runs a visitor over the node, at many times the cost.
    """
    names = _FIELDS.get(type(node))
    if names is None:
        names = _FIELDS[type(node)] = tuple(
            field.name
            for field in fields(node)
            if field.name not in _SILENT_FIELDS and not field.name.startswith("whitespace")
        )
    found: list[cst.CSTNode] = []
    for name in names:
        value = getattr(node, name)
        if value is None:
            continue
        kind = type(value)
        if kind is tuple or kind is list:
            found.extend(item for item in value if _is_node(item))
        elif _is_node(value):
            found.append(value)
    return found


def _is_node(value: object) -> bool:
    kind = type(value)
    known = _IS_NODE.get(kind)
    if known is None:
        known = _IS_NODE[kind] = isinstance(value, cst.CSTNode)
    return known


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Every node below and including `node`, whitespace and punctuation left out, in no promised order."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += children(current)


_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
_BLOCKS_OF: dict[type, tuple[str, ...]] = {}


def statements_of(block: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Every statement within a node, in no promised order; of functions defined in it only themselves.

    It looks into no expression, which makes it many times as fast as `descendants`.
    """
    waiting = _parts(block)
    while waiting:
        statement = waiting.pop()
        yield statement
        if type(statement) is not cst.FunctionDef:
            waiting += _parts(statement)


def _parts(node: cst.CSTNode) -> list[cst.CSTNode]:
    names = _BLOCKS_OF.get(type(node))
    if names is None:
        names = _BLOCKS_OF[type(node)] = (
            () if isinstance(node, cst.BaseExpression) else tuple(name for name in _BLOCKS if hasattr(node, name))
        )
    found: list[cst.CSTNode] = []
    for name in names:
        value = getattr(node, name)
        if type(value) is tuple or type(value) is list:
            found.extend(value)
        elif value is not None:
            found.append(value)
    return found


def dotted(node: cst.CSTNode) -> str:
    """`a.b.c` for a chain of names, else the empty string."""
    kind = type(node)
    if kind is cst.Name:
        return node.value  # type: ignore[attr-defined, no-any-return]
    parts: list[str] = []
    while kind is cst.Attribute:
        parts.append(node.attr.value)  # type: ignore[attr-defined]
        node = node.value  # type: ignore[attr-defined]
        kind = type(node)
    if kind is not cst.Name:
        return ""
    parts.append(node.value)  # type: ignore[attr-defined]
    parts.reverse()
    return ".".join(parts)


def root_name(node: cst.CSTNode) -> str:
    """The name at the bottom of a chain of attributes, subscripts and calls: `x` of `x[0].float()`."""
    while True:
        match node:
            case cst.Attribute(value=inner) | cst.Subscript(value=inner):
                node = inner
            case cst.Call(func=inner):
                node = inner
            case cst.Name(value=name):
                return name
            case _:
                return ""


def literal(node: cst.CSTNode) -> object:
    """The value of a literal, or NOT_LITERAL."""
    read = _LITERALS.get(type(node))
    return NOT_LITERAL if read is None else read(node)


def _string(node: Any) -> object:
    text = node.value
    if "\\" not in text and text[0] in "\"'":
        return text[3:-3] if text[:3] in ('"""', "'''") and len(text) > 5 else text[1:-1]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return NOT_LITERAL


def _strings(node: Any) -> object:
    left, right = literal(node.left), literal(node.right)
    return left + right if isinstance(left, str) and isinstance(right, str) else NOT_LITERAL


def _number(node: Any) -> object:
    text = node.value
    return int(text) if text.isdigit() and (text[0] != "0" or text == "0") else ast.literal_eval(text.replace("_", ""))


def _negative(node: Any) -> object:
    value = literal(node.expression) if type(node.operator) is cst.Minus else NOT_LITERAL
    return -value if isinstance(value, int | float) else NOT_LITERAL


def _word(node: Any) -> object:
    return {"None": None, "True": True, "False": False}.get(node.value, NOT_LITERAL)


_LITERALS: dict[type, Callable[[Any], object]] = {
    cst.SimpleString: _string,
    cst.ConcatenatedString: _strings,
    cst.Integer: _number,
    cst.Float: _number,
    cst.UnaryOperation: _negative,
    cst.Name: _word,
}


class _NotLiteral:
    def __repr__(self) -> str:
        return "NOT_LITERAL"


NOT_LITERAL = _NotLiteral()


def keyword(call: cst.Call, name: str) -> cst.Arg | None:
    return next((arg for arg in call.args if arg.keyword is not None and arg.keyword.value == name), None)


def positional(call: cst.Call) -> list[cst.Arg]:
    return [arg for arg in call.args if arg.keyword is None and not arg.star]


def assigned_names(statement: cst.SimpleStatementLine) -> list[str]:
    """The plain names that the assignments of a line bind, in order."""
    return [
        name
        for small in statement.body
        if isinstance(small, cst.Assign)
        for target in small.targets
        for name in target_names(target.target)
    ]


def target_names(target: cst.BaseExpression) -> list[str]:
    """The plain names that an assignment target binds, in order."""
    match target:
        case cst.Name(value=name):
            return [name]
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return [name for element in elements for name in target_names(element.value)]
        case _:
            return []

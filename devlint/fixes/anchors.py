"""Where text can be put into a file: after a statement, at the top of a body, after an expression."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.parsed import ParsedFile
from devlint.analysis.syntax import descendants
from devlint.finding import Edit

_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)


def indent_of(file: ParsedFile, node: cst.CSTNode) -> str | None:
    """The whitespace before a statement; None when something else stands before it on its line."""
    text = file.source.text
    start = file.span(node).start
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    prefix = text[line:start]
    return prefix if not prefix.strip() else None


def after_statement(file: ParsedFile, node: cst.CSTNode, lines: list[str]) -> Edit | None:
    """Insert lines after a statement that has its lines to itself."""
    indent = indent_of(file, node)
    if indent is None or isinstance(node, cst.BaseCompoundStatement):
        return None
    return line_end(file, file.span(node).end, indent, lines)


def top_of_body(file: ParsedFile, body: cst.BaseSuite, header_end: int, lines: list[str]) -> Edit | None:
    """Insert lines as the first of an indented body, above its comments; a docstring stays first."""
    if not isinstance(body, cst.IndentedBlock) or not body.body:
        return None
    first = body.body[0]
    if is_docstring(first) and len(body.body) > 1:
        return after_statement(file, first, lines)
    indent = indent_of(file, first)
    if indent is None:
        return None
    return line_end(file, header_end, indent, lines)


def is_docstring(node: cst.CSTNode) -> bool:
    match node:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())]):
            return True
        case _:
            return False


def next_line(text: str, offset: int) -> int:
    """The offset behind the end of the line that holds `offset`; the length of a text that ends without one."""
    while offset < len(text) and text[offset] not in "\r\n":
        offset += 1
    if offset == len(text):
        return offset
    return offset + (2 if text.startswith("\r\n", offset) else 1)


def line_end(file: ParsedFile, offset: int, indent: str, lines: list[str]) -> Edit:
    """Insert lines after the line that holds an offset; an offset behind a line end belongs to that line."""
    text = file.source.text
    end = offset - 1 if offset and text[offset - 1] in "\r\n" else offset
    if end and text[end - 1 : end + 1] == "\r\n":
        end -= 1
    end = next_line(text, end)
    block = "".join(f"{indent}{line}\n" for line in lines)
    if text[end - 1 : end] not in ("\r", "\n"):
        return Edit(end, end, "\n" + block[:-1])
    return Edit(end, end, block)


def call_on(file: ParsedFile, node: cst.BaseExpression, method: str) -> tuple[Edit, ...]:
    """`node` becomes `node.method`; an expression that is no atom gets parentheses, if it has none."""
    span = file.span(node)
    match node:  # what is moved later is no leaf, and gets no gradient
        case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(value="requires_grad_")), lpar=[]):
            if method.startswith(("to(", "cuda(")):
                return call_on(file, inner, method)
    if node.lpar:
        end = file.outer(node).end
        return (Edit(end, end, f".{method}"),)
    if isinstance(node, _ATOMS):
        return (Edit(span.end, span.end, f".{method}"),)
    return (Edit(span.start, span.start, "("), Edit(span.end, span.end, f").{method}"))


def chain_end(whole: cst.BaseExpression | None, inner: cst.CSTNode) -> cst.BaseExpression | None:
    """The outermost call of the method chain that begins with `inner`, inside `whole`: `f(x).float()` for `f(x)`."""
    if whole is None:
        return None
    node = whole
    while isinstance(node, cst.Call):
        if node is inner:
            return whole
        if not isinstance(node.func, cst.Attribute):
            return None
        node = node.func.value
    return None


def in_one_block(module: cst.Module, first: cst.CSTNode, second: cst.CSTNode) -> bool:
    """Whether two statements stand in the same block, in this order."""
    for node in (module, *descendants(module)):
        if isinstance(node, cst.Module | cst.IndentedBlock):
            order: dict[cst.CSTNode, int] = {statement: index for index, statement in enumerate(node.body)}
            if first in order:
                return second in order and order[first] < order[second]
    return False


def contains(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    return any(node is inner for node in descendants(outer))

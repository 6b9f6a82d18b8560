"""Parameters of a forward that only the host reads: lengths of sequences, sizes, steps.

A batch's lengths are given to the model beside what is computed with, and stay on the host for a reason:
`pack_padded_sequence` wants them there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.syntax import descendants, dotted, keyword
from devlint.analysis.values import Module

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.frame import FunctionInfo
    from devlint.analysis.interpreter import Interpreter

_READERS = frozenset("len int float list range enumerate zip sorted print str isinstance".split())
_READS = frozenset("tolist item shape size cpu numpy dim ndim numel dtype sort argsort".split())
_PACKS = "pack_padded_sequence"
_DEPTH = 4
"""Modules within modules that are followed."""


def only_read_on_host(run: Interpreter, module: Module, arguments: Arguments, given: cst.BaseExpression) -> bool:
    """Whether a forward in sight gets `given` in a parameter that nothing in it computes with on the device."""
    return _given_only_to_read(run, module, [(a.keyword or "", a.node, bool(a.star)) for a in arguments], given, 0)


def _given_only_to_read(
    run: Interpreter,
    module: Module,
    arguments: list[tuple[str, cst.BaseExpression, bool]],
    given: cst.BaseExpression,
    depth: int,
) -> bool:
    cls = run.objects[module.ref].cls
    forward = cls.method("forward") if cls is not None else None
    if forward is None or isinstance(forward.node, cst.Lambda) or depth > _DEPTH:
        return False
    names = [param.name.value for param in forward.parameters][1:]
    names_only = [param.name.value for param in forward.node.params.kwonly_params]
    for position, (named, node, star) in enumerate(arguments):
        if star:
            return False
        if node is given:
            name = named or (names[position] if position < len(names) else "")
            return name in (*names, *names_only) and _only_reads(run, module, forward, name, depth)
    return False


_TELLING = frozenset({cst.Name, cst.AssignTarget, cst.Attribute, cst.Comparison, cst.Arg, cst.Call})


def _only_reads(run: Interpreter, module: Module, forward: FunctionInfo, name: str, depth: int) -> bool:
    harmless: set[cst.CSTNode] = set()
    uses: set[cst.CSTNode] = set()
    bound: set[cst.CSTNode] = set()
    for node in descendants(forward.node.body):
        if type(node) not in _TELLING:
            continue
        match node:
            case cst.Name(value=value) if value == name:
                uses.add(node)
            case cst.AssignTarget(target=target):
                bound.update(part for part in descendants(target) if isinstance(part, cst.Name))
            case cst.Attribute(value=cst.Name(value=owner) as inner, attr=cst.Name(value=read)):
                if owner == name and read in _READS:
                    harmless.add(inner)
            case cst.Comparison(left=cst.Name() as left, comparisons=[asked]):
                if isinstance(asked.operator, cst.Is | cst.IsNot):
                    harmless.add(left)
            case cst.Arg(keyword=cst.Name() as named):
                harmless.add(named)
            case cst.Call():
                harmless.update(_only_read_by(run, module, node, name, depth))
    return uses - bound <= harmless


def _only_read_by(run: Interpreter, module: Module, call: cst.Call, name: str, depth: int) -> list[cst.CSTNode]:
    """The arguments of a call that are `name` and that the call reads on the host."""
    given = [arg.value for arg in call.args if isinstance(arg.value, cst.Name) and arg.value.value == name]
    if not given:
        return []
    called = dotted(call.func)
    last = called.rpartition(".")[2]
    if called in _READERS:
        return list(given)
    if last == _PACKS:
        lengths = keyword(call, "lengths") or (call.args[1] if len(call.args) > 1 else None)
        return [node for node in given if lengths is not None and node is lengths.value]
    if called.startswith("self.") and called.count(".") == 1:
        inner = run.heap.attribute(module.ref, last)
        if isinstance(inner, Module):
            arguments = [(a.keyword.value if a.keyword else "", a.value, bool(a.star)) for a in call.args]
            return [node for node in given if _given_only_to_read(run, inner, arguments, node, depth + 1)]
    return []

"""What stands around a node: looked up when a finding hangs on it, since LibCST nodes know no parents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from devlint.analysis.syntax import children, descendants


def within(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    """Whether `inner` is `outer` or stands somewhere in it."""
    return any(node is inner for node in descendants(outer))


def holds(outer: cst.CSTNode, test: Callable[[cst.CSTNode], bool]) -> bool:
    """Whether some node in `outer` passes a test."""
    return any(test(node) for node in descendants(outer))


def path_to(outer: cst.CSTNode, inner: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes from `outer` down to `inner`, both included; empty where it does not stand there."""
    trail: list[cst.CSTNode] = [outer]
    waiting: list[Iterator[cst.CSTNode]] = [iter(children(outer))]
    if outer is inner:
        return trail
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
            trail.pop()
            continue
        trail.append(child)
        if child is inner:
            return trail
        waiting.append(iter(children(child)))
    return []


def around(outer: cst.CSTNode, inner: cst.CSTNode) -> list[cst.CSTNode]:
    """What stands around `inner` inside `outer`, outermost first; neither of the two is among it."""
    return path_to(outer, inner)[1:-1]

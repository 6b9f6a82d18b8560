"""Tensors that are made on the host and moved in the same expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.devices import is_accelerator_literal, named_by
from devlint.analysis.facts import CreatedThenMoved
from devlint.analysis.parsed import is_test_file
from devlint.analysis.placement import Where
from devlint.analysis.syntax import dotted, keyword, literal
from devlint.analysis.torch_table import FACTORIES, RANDOM_FACTORIES
from devlint.analysis.values import Module, Source, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Argument, Arguments
    from devlint.analysis.interpreter import Interpreter

_BETWEEN = frozenset(
    """float long double int half bool bfloat16 unsqueeze squeeze view reshape expand repeat t transpose permute
    flatten contiguous""".split()
)
"""Methods that may stand between the factory and the move: they do the same on a device."""
_NOT_BY_SIZE = frozenset("sparse_coo_tensor sparse_csr_tensor scalar_tensor".split())
_OWN_WAYS = ("device", "generator", "out", "pin_memory")
_HARMLESS = frozenset(["non_blocking", "device"])


class CreatedMoves:
    """The moves of one run that a `device=` would save."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, CreatedThenMoved] = {}

    def call_seen(self, node: cst.Call, name: str, receiver: Value, arguments: Arguments) -> None:
        """A method call, once its parts are evaluated."""
        if (
            name != "to"
            or node in self.found
            or not self._often()
            or not isinstance(receiver, Tensor)
            or not receiver.place.on_host
        ):
            return
        origin, target = receiver.origin, move_target(arguments)
        if origin is None or origin.source is not Source.FACTORY or target is None:
            return
        made = created_by(node)
        last = dotted(made.func).rpartition(".")[2] if made is not None else ""
        if made is None or origin.spot.node is not made or last not in FACTORIES - _NOT_BY_SIZE:
            return
        if any(keyword(made, word) for word in _OWN_WAYS) or any(arg.star == "**" for arg in made.args):
            return
        if is_accelerator_literal(literal(target.node)) or is_test_file(self.run.frame.file):
            return
        self.found[node] = CreatedThenMoved(
            self.run.meetings.site(node), node, made, target.node, last in RANDOM_FACTORIES
        )

    def _often(self) -> bool:
        """Once is no cost: it is worth a word in a loop, and in what a module does at every call."""
        frame = self.run.frame
        return bool(frame.loops) or (
            isinstance(frame.receiver, Module) and frame.function is not None and frame.function.name != "__init__"
        )


def created_by(move: cst.Call) -> cst.Call | None:
    """The call that a chain of conversions ends with, below a move."""
    assert isinstance(move.func, cst.Attribute)
    inner = move.func.value
    while isinstance(inner, cst.Call):
        if not isinstance(inner.func, cst.Attribute) or inner.func.attr.value not in _BETWEEN or dotted(inner.func):
            return inner
        inner = inner.func.value
    return None


def move_target(arguments: Arguments) -> Argument | None:
    """The device that `.to()` is given, where it is given nothing else that matters; the CPU is none."""
    if any(a.star or (a.keyword and a.keyword not in _HARMLESS) for a in arguments):
        return None
    given = [a for a in arguments if not a.keyword or a.keyword == "device"]
    if len(given) != 1 or isinstance(given[0].value, Tensor):
        return None
    place = named_by(given[0].value, given[0].node)
    return None if place is None or place.where is Where.HOME else given[0]

"""What the interpreter notices of code that is right on one kind of machine only, beyond moves and literals.

The notes hang on names of torch (`torch.cuda.is_available` as an object, `torch.cuda.FloatTensor`, `torch.cuda.X()`)
and on values that are `torch.device` objects. `Meetings` passes on what it sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.amp import AmpDevices
from devlint.analysis.card_numbers import CardNumbers
from devlint.analysis.cuda_apis import CudaApis
from devlint.analysis.cuda_types import CudaTypes
from devlint.analysis.device_checks import DeviceChecks
from devlint.analysis.devices import cuda_tensor_type
from devlint.analysis.facts import AvailabilityNotCalled, AvailabilityUse, Site, WatchedName
from devlint.analysis.guards import AVAILABILITY
from devlint.analysis.loads import Loads
from devlint.analysis.parsed import Spot
from devlint.analysis.syntax import dotted
from devlint.analysis.values import Const, External, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_FLAGS = frozenset("pin_memory non_blocking enabled use_cuda use_gpu cuda gpu fp16 condition".split())
"""Keywords that take a yes or no, in torch and in what decides whether a test runs."""
_TAKE_FLAGS = ("unittest.skipIf", "unittest.skipUnless", "pytest.mark.skipif")
_SHOWING = frozenset(["builtins.print", "builtins.str", "builtins.repr", "builtins.format"])


class PortabilityNotes:
    """The notes of one run; `facts` gives what they come to."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.checks = DeviceChecks(run)
        self.types = CudaTypes(run)
        self.amp = AmpDevices(run)
        self.apis = CudaApis(run)
        self.cards = CardNumbers(run)
        self.loads = Loads(run)
        self._availability: dict[cst.CSTNode, AvailabilityNotCalled] = {}
        self._named: dict[External, Site] = {}
        """Where a function of torch was named without being called, by the value that came of it."""
        self._called: set[cst.CSTNode] = set()
        self._watched: dict[cst.CSTNode, WatchedName] = {}

    def facts(self) -> Iterator[tuple[Spot, object]]:
        """Every fact with the place it stands at."""
        for node, fact in self._availability.items():
            if node in self._called:
                yield fact.site.spot, _called_too(fact)
            else:
                yield fact.site.spot, fact
        notes = (
            self._watched,
            self.checks.found,
            self.types.found,
            self.amp.found,
            self.apis.found,
            self.cards.found,
            self.loads.found,
        )
        for found in notes:
            for noticed in found.values():
                yield noticed.site.spot, noticed

    # -- what is seen on the way ------------------------------------------------------------------------------------

    def named(self, node: cst.CSTNode, value: External) -> None:
        """An attribute expression gave a name of a library, and does not call it."""
        self._watch(node, value.name)
        if value.name.startswith("torch.") and (AVAILABILITY.match(value.name) or cuda_tensor_type(value)):
            if value not in self._named:
                self._named[value] = self.run.meetings.site(node)

    def attribute_read(self, node: cst.Attribute) -> None:
        """An attribute of something that is no name of a library."""
        self._watch(node, f"*.{node.attr.value}")

    def name_imported(self, node: cst.ImportAlias, name: str) -> None:
        """`from module import name`, by its dotted name."""
        self._watch(node, name)

    def tested(self, node: cst.BaseExpression, value: Value) -> None:
        """An expression is asked for its truth."""
        self._taken_for_answer(node, value, AvailabilityUse.CONDITION)

    def shown(self, node: cst.BaseExpression, value: Value) -> None:
        """An expression becomes text."""
        self._taken_for_answer(node, value, AvailabilityUse.TEXT)

    def compared(self, left: cst.BaseExpression, a: Value, target: cst.ComparisonTarget, b: Value) -> None:
        """A comparison of two values."""
        self.checks.compared(left, a, target, b)
        for node, value, other in ((left, a, b), (target.comparator, b, a)):
            if isinstance(other, Const) and isinstance(other.value, bool | int):
                self._taken_for_answer(node, value, AvailabilityUse.COMPARISON)

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """A call, once its parts are evaluated."""
        if isinstance(callee, External):
            self._watch(node.func, callee.name)
            if (site := self._named.get(callee)) is not None:
                self._called.add(site.spot.node)
            self._given(callee.name, arguments)
            self.types.called(node, callee, arguments, self._named)
            self.amp.called(node, callee.name, arguments)
            self.apis.called(node, callee.name, arguments)
            self.loads.called(node, callee.name)
        elif name == "add_argument":
            self._given(name, arguments)
        if not isinstance(callee, External) and isinstance(node.func, cst.Attribute):
            self.attribute_read(node.func)
        self.cards.call_seen(node, name, receiver, callee, arguments)
        if name == "type" and receiver is not None and arguments:
            self.types.cast(node, receiver, arguments[0], self._named)
        self.checks.call_seen(node, name, receiver, arguments)

    def _watch(self, node: cst.CSTNode, name: str) -> None:
        if self.run.project.watched and any(row.covers(name) for row in self.run.project.watched):
            self._watched.setdefault(node, WatchedName(self.run.meetings.site(node), name))

    # -- functions that are not called ------------------------------------------------------------------------------

    def _given(self, callee: str, arguments: Arguments) -> None:
        for position, argument in enumerate(arguments):
            if not isinstance(argument.value, External) or argument.star:
                continue
            if callee in _SHOWING:
                self.shown(argument.node, argument.value)
            elif (
                callee == "builtins.bool"
                or (callee in _TAKE_FLAGS and position == 0)
                or (callee.startswith(("torch.", *_TAKE_FLAGS)) and argument.keyword in _FLAGS)
                or (callee == "add_argument" and argument.keyword == "default")
            ):
                self._taken_for_answer(argument.node, argument.value, AvailabilityUse.ARGUMENT)

    def _taken_for_answer(self, node: cst.BaseExpression, value: Value, use: AvailabilityUse) -> None:
        if not isinstance(value, External) or not AVAILABILITY.match(value.name):
            return
        here = self.run.spot(node)
        site = self._named.get(value) or self.run.meetings.site(node)
        if site.spot.node in self._availability or (use is AvailabilityUse.TEXT and site.spot.node is not node):
            return
        elsewhere = here if site.spot.node is not node else None
        self._availability[site.spot.node] = AvailabilityNotCalled(
            site, dotted(site.spot.node) or value.name, use, elsewhere, elsewhere is not None and self._may_call(node)
        )

    def _may_call(self, node: cst.BaseExpression) -> bool:
        """Whether the file calls what the tested expression names."""
        name = dotted(node).rpartition(".")[2]
        return not name or re.search(rf"\b{re.escape(name)}\(", self.run.frame.file.source.text) is not None


def _called_too(fact: AvailabilityNotCalled) -> AvailabilityNotCalled:
    return AvailabilityNotCalled(fact.site, fact.name, fact.use, fact.tested, True)

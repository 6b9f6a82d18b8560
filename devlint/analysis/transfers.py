"""What the interpreter notices of moves themselves: of what, where, how often, and what is kept of the results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.cards import Cards
from devlint.analysis.container_moves import ContainerMoves
from devlint.analysis.created_moves import CreatedMoves
from devlint.analysis.generators import Generators
from devlint.analysis.indexes import Indexes
from devlint.analysis.kept_graphs import KeptGraphs
from devlint.analysis.loop_moves import LoopMoves, Waits
from devlint.analysis.parsed import Spot
from devlint.analysis.values import Value
from devlint.analysis.worker_moves import WorkerMoves

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter


class TransferNotes:
    """The notes of one run; `facts` gives what they come to."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.containers = ContainerMoves(run)
        self.created = CreatedMoves(run)
        self.looped = LoopMoves(run)
        self.waits = Waits(run)
        self.graphs = KeptGraphs(run)
        self.generators = Generators(run)
        self.indexes = Indexes(run)
        self.workers = WorkerMoves(run)
        self.cards = Cards(run)

    def facts(self) -> Iterator[tuple[Spot, object]]:
        """Every fact with the place it stands at."""
        for found in (
            self.containers.found,
            self.created.found,
            self.looped.found,
            self.waits.found,
            self.graphs.found,
            self.generators.found,
            self.indexes.left(),
            self.workers.found,
            self.cards.meets,
            self.cards.fixed,
            self.cards.loaders,
        ):
            for noticed in found.values():
                yield noticed.site.spot, noticed

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """A call, once its parts are evaluated."""
        if self.run.offline or self.run.owned:
            return
        if receiver is not None:
            self.containers.call_seen(node, name, receiver)
            self.created.call_seen(node, name, receiver, arguments)
            self.looped.call_seen(node, name, receiver, arguments)
        self.waits.call_seen(node, name, receiver, callee, arguments)
        self.graphs.call_seen(node, name, receiver)
        self.generators.call_seen(node, name, receiver, callee, arguments)
        self.workers.call_seen(node, name, receiver, callee, arguments)
        self.cards.call_seen(node, name, receiver, callee, arguments)

"""Moves that the worker processes of a loader make: a forked process cannot use CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import Argument, keyword_value
from devlint.analysis.devices import named_by
from devlint.analysis.facts import MoveInWorker
from devlint.analysis.parsed import Spot
from devlint.analysis.placement import Certainty, Device, Placement
from devlint.analysis.torch_table import DATA_FACTORIES, FACTORIES, LIKE
from devlint.analysis.values import Const, Dataset, External, Module, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_OTHER_START = re.compile(r"set_start_method\(\s*(?!\s*['\"]fork['\"])")
"""Processes that are not forked may use CUDA: https://docs.pytorch.org/docs/stable/notes/multiprocessing.html."""


@dataclass(frozen=True, slots=True)
class _Workers:
    """The worker processes of one loader. sure: their number is known to be more than none. depth: of the call."""

    spot: Spot
    sure: bool
    depth: int


class WorkerMoves:
    """The moves of one run that loaders make in their workers."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, MoveInWorker] = {}
        self._loading: list[_Workers | None] = []

    @contextmanager
    def loading(self, arguments: Arguments) -> Iterator[None]:
        """While what a loader does is followed: the samples of its dataset, its collate function."""
        self._loading.append(self._workers(arguments))
        try:
            yield
        finally:
            self._loading.pop()

    def reads(self, dataset: Argument | None, place: Placement) -> None:
        """What the samples of a loader are: workers cannot read tensors on a device either."""
        workers = self._loading[-1]
        if workers is None or dataset is None or not isinstance(dataset.value, Dataset) or not place.on_device:
            return
        if place.device is not None and not (self.run.offline or self.run.owned):
            self._note(workers.spot.node, None, workers, place.device, dataset.node)

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """A call, once its parts are evaluated."""
        workers = self._loading[-1] if self._loading else None
        if workers is None or (device := _device_of(name, receiver, callee, arguments)) is None:
            return
        inside = list(self.run.frame.chain())[: -workers.depth or None]
        if any(frame.function is not None and _asks_for_worker(frame.function.node) for frame in inside):
            return
        self._note(self.run.frame.statement or node, node, workers, device, None, isinstance(receiver, Module))

    def _workers(self, arguments: Arguments) -> _Workers | None:
        count = keyword_value(arguments, "num_workers", 5)
        if count is None or (isinstance(count.value, Const) and not count.value.value):
            return None
        context = keyword_value(arguments, "multiprocessing_context")
        if context is not None and not (isinstance(context.value, Const) and context.value.value in (None, "fork")):
            return None
        if any(_OTHER_START.search(file.source.text) for file in self.run.modules):
            return None
        sure = isinstance(count.value, Const) and isinstance(count.value.value, int)
        return _Workers(self.run.spot(count.node), sure, len(list(self.run.frame.chain())))

    def _note(
        self,
        key: cst.CSTNode,
        call: cst.Call | None,
        workers: _Workers,
        device: Device,
        data: cst.BaseExpression | None,
        module: bool = False,
    ) -> None:
        sure = workers.sure and device.certainty is not Certainty.OPAQUE
        known = self.found.get(key)
        if known is None:
            site = self.run.meetings.site(call or key)
            moves = () if call is None else (call,)
            self.found[key] = MoveInWorker(site, moves, workers.spot, sure, module, data)
            return
        calls = known.calls if call is None or call in known.calls else (*known.calls, call)
        loader = workers.spot if sure and not known.sure else known.loader
        self.found[key] = replace(
            known, calls=calls, loader=loader, sure=known.sure or sure, module=known.module or module
        )


def _device_of(name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> Device | None:
    """Where a call moves something, or makes it, if that is a device."""
    argument = keyword_value(arguments, "device")
    if name == "cuda":
        if receiver is None or isinstance(receiver, External | Const):
            return None
        return Device('"cuda"', Certainty.LITERAL)
    if name == "to" and receiver is not None:
        argument = argument or keyword_value(arguments, "", 0)
    elif not isinstance(callee, External) or not _is_factory(callee.name):
        return None
    place = named_by(argument.value, argument.node) if argument is not None else None
    return place.device if place is not None and place.on_device else None


def _is_factory(name: str) -> bool:
    return name.startswith("torch.") and name.removeprefix("torch.") in FACTORIES | DATA_FACTORIES | LIKE


def _asks_for_worker(node: cst.FunctionDef | cst.Lambda) -> bool:
    """Whether a function asks which process runs it."""
    return "get_worker_info" in cst.Module([]).code_for_node(node)

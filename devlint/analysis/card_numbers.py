"""Cards that are named by their number: `torch.cuda.set_device(1)`, `device_ids=[0, 1]`, `.to(1)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import CudaCall, CudaLiteral, FixedIndex, IndexUse, Site
from devlint.analysis.syntax import dotted, keyword, literal, positional
from devlint.analysis.values import Batch, Const, External, Items, Module, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_NUMBERED = re.compile(r"(?:cuda|xpu|npu):(\d+)")
_COUNTS = re.compile(
    r"device_count|\b(n|num|total)_?gpus?\b|\bgpu_?count|\bngpus?\b|world_size|multi_?gpu", re.IGNORECASE
)
_PARALLEL = frozenset(["DataParallel", "DistributedDataParallel", "data_parallel"])


def card_of(fact: CudaCall | CudaLiteral) -> int:
    """The number of the card that a move or a literal names; 0 where it names none."""
    if isinstance(fact, CudaLiteral):
        match = _NUMBERED.fullmatch(fact.text)
        if match is not None:
            return int(match[1])
        call = fact.call
        if call is None or dotted(call.func).rpartition(".")[2] != "device":
            return 0
        plain = positional(call)
        argument = keyword(call, "index") or (plain[1] if len(plain) > 1 else None)
    else:
        plain = positional(fact.call)
        argument = keyword(fact.call, "device") or (plain[0] if plain else None)
    return (_number(argument.value) or 0) if argument is not None else 0


def named_card(call: cst.Call, name: str) -> int | None:
    """The number that `torch.cuda.set_device` or `torch.cuda.device` is given, where the finding is about that."""
    if not call.args or name not in {"set_device", "device"}:
        return None
    number = _number(call.args[0].value)
    return number if number is not None and (number > 0 or name == "set_device") else None


def knows_its_cards(site: Site) -> bool:
    """Whether the code around counts the cards, or is made for a machine that has several."""
    frame = site.frame
    if frame is None:
        return False
    for running in frame.chain():
        function = running.function
        if function is not None and (function.guarded or (function.owner is not None and function.owner.guarded)):
            return True
    node = frame.function.node if frame.function is not None else None
    text = frame.file.text(node) if node is not None else frame.file.source.text
    return _COUNTS.search(text) is not None


class CardNumbers:
    """The numbers of one run, by the call that is given one."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, FixedIndex] = {}

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """Any call whose parts are evaluated."""
        library = callee.name if isinstance(callee, External) else ""
        if library in {"torch.cuda.set_device", "torch.cuda.device"}:
            last = library.rpartition(".")[2]
            if (number := named_card(node, last)) is not None:
                use = IndexUse.CURRENT if last == "set_device" else IndexUse.CONTEXT
                self._note(node, use, node.args[0], node.args[0].value, number)
        elif library.startswith("torch.") and library.rpartition(".")[2] in _PARALLEL:
            self._parallel(node, library, arguments)
        elif library.startswith("torch."):
            argument = keyword(node, "device")
            if argument is None and library == "torch.device" and len(node.args) == 1:
                argument = node.args[0]
            self._place(node, argument)
        elif name == "to" and isinstance(receiver, Tensor | Module | Batch):
            plain = positional(node)
            self._place(node, keyword(node, "device") or (plain[0] if plain else None))

    def chosen(self, node: cst.IfExp) -> None:
        """`"cuda:1" if torch.cuda.is_available() else "cpu"`."""
        for branch in (node.body, node.orelse):
            text = literal(branch)
            if isinstance(text, str) and (number := _number(branch)) and branch not in self.found:
                self.found[branch] = FixedIndex(self.run.meetings.site(branch), IndexUse.CHOICE, number)

    def _place(self, node: cst.Call, argument: cst.Arg | None) -> None:
        """Numbers only: strings with a number are literals that the other rules know."""
        if argument is not None and isinstance(argument.value, cst.Integer):
            number = _number(argument.value)
            if number:
                self._note(node, IndexUse.PLACE, argument, argument.value, number)

    def _parallel(self, node: cst.Call, library: str, arguments: Arguments) -> None:
        position = 2 if library.endswith(".data_parallel") else 1
        plain = positional(node)
        argument = keyword(node, "device_ids") or (plain[position] if len(plain) > position else None)
        if argument is None:
            return
        value = next((given.value for given in arguments if given.node is argument.value), None)
        number = _highest(value, argument.value)
        if number > 0:
            place = argument.value
            if isinstance(place, cst.Name) and (bound := self.run.frame.bound.get(place.value)) is not None:
                place = bound.value if isinstance(bound.value, cst.List | cst.Tuple) else place
            self._note(node, IndexUse.PARALLEL, argument, place, number)

    def _note(self, node: cst.Call, use: IndexUse, argument: cst.Arg, place: cst.BaseExpression, number: int) -> None:
        if node in self.found and (self.run.guarded or self.run.offline):
            return
        self.found[node] = FixedIndex(self.run.meetings.site(place), use, number, node, argument)


def _number(node: cst.BaseExpression) -> int | None:
    """The number of a card that a literal names."""
    value = literal(node)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    match = _NUMBERED.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match is not None else None


def _highest(value: Value | None, node: cst.BaseExpression) -> int:
    """The highest number in a display of literals, or below a `range(2)`; 0 where they are computed."""
    match node:
        case cst.Call(func=cst.Name(value="list"), args=[cst.Arg(value=inner)]):
            return _highest(None, inner)
        case cst.Call(func=cst.Name(value="range"), args=[cst.Arg(value=cst.Integer() as stop)]):
            return int(stop.value) - 1
    if not isinstance(value, Items) or not value.items:
        return 0
    numbers = [item.value for item in value.items if isinstance(item, Const) and isinstance(item.value, int)]
    return max(numbers) if len(numbers) == len(value.items) else 0

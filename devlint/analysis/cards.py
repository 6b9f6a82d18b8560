"""Two accelerators that meet: cards by their numbers, copies of a module on several cards, a default device."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import Argument, call_function, keyword_value
from devlint.analysis.devices import named_by
from devlint.analysis.facts import CardsMeet, FixedInReplica, LoaderOffDefault
from devlint.analysis.parsed import Spot
from devlint.analysis.placement import Certainty, Device, Placement, on
from devlint.analysis.syntax import keyword
from devlint.analysis.torch_table import DATA_FACTORIES, FACTORIES, LIKE
from devlint.analysis.values import Batch, Const, External, Function, Generator, Items, Module, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_REPLICA = on(Device("", Certainty.OPAQUE))
"""Where a copy of a module runs that `nn.DataParallel` has made: any card."""
_CHANGES_CURRENT = re.compile(r"\b(set_device|set_device_index|cuda\.device|device_index|CUDA_VISIBLE_DEVICES)\b")


class Cards:
    """What one run notices of devices that differ."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.meets: dict[cst.CSTNode, CardsMeet] = {}
        self.fixed: dict[cst.CSTNode, FixedInReplica] = {}
        self.loaders: dict[cst.CSTNode, LoaderOffDefault] = {}
        self._replicas = 0
        self._default: tuple[Placement, Spot, cst.BaseExpression] | None = None

    # -- cards by their numbers -----------------------------------------------------------------------------------

    def met(self, node: cst.CSTNode, tensors: Sequence[tuple[cst.BaseExpression, Value]]) -> None:
        """Tensors of one operation."""
        there = [(part, v.place) for part, v in tensors if isinstance(v, Tensor | Batch) and v.place.on_device]
        if len(there) < 2:
            return
        first, place = there[0]
        for part, other in there[1:]:
            if self._differ(place, other):
                self._note(node, part, other, first, place)

    def fed(self, node: cst.CSTNode, place: Placement, operands: Sequence[tuple[cst.BaseExpression, Value]]) -> None:
        """A module on a device is called."""
        for part, value in operands:
            if isinstance(value, Tensor | Batch) and self._differ(place, value.place):
                self._note(node, part, value.place, None, place)

    def _note(
        self,
        node: cst.CSTNode,
        part: cst.BaseExpression,
        here: Placement,
        partner: cst.BaseExpression | None,
        there: Placement,
    ) -> None:
        assert here.device is not None and there.device is not None
        site = self.run.meetings.site(node)
        self.meets.setdefault(part, CardsMeet(site, part, here.device, partner, there.device))

    def _differ(self, a: Placement, b: Placement) -> bool:
        """Whether two devices are known to be different cards; without a number it is the current one, the first."""
        if a.device is None or b.device is None or Certainty.OPAQUE in (a.device.certainty, b.device.certainty):
            return False
        first, second = a.device.index, b.device.index
        if first is not None and second is not None:
            return first != second
        return bool(first or second) and not any(_CHANGES_CURRENT.search(file.source.text) for file in self.run.modules)

    # -- copies on several cards ----------------------------------------------------------------------------------

    def replicated(self, parallel: Module, node: cst.CSTNode, arguments: Arguments) -> None:
        """`nn.DataParallel(model)(x)`: the forward is run as on any card, and what it changes is forgotten."""
        run = self.run
        inner = run.heap.attribute(parallel.ref, "module")
        if not run.objects[parallel.ref].external.endswith(".DataParallel") or not isinstance(inner, Module):
            return
        made = run.objects[parallel.ref].spot.node
        cards = keyword(made, "device_ids") if isinstance(made, cst.Call) else None
        if cards is not None and isinstance(cards.value, cst.List | cst.Tuple) and len(cards.value.elements) < 2:
            return
        cls = run.objects[inner.ref].cls
        if cls is None or (method := cls.method("forward")) is None or self._replicas:
            return
        scattered: list[Argument] = [replace(argument, value=_scattered(argument.value)) for argument in arguments]
        run.heap.begin()
        self._replicas += 1
        try:
            run.move(inner.ref, _REPLICA)
            call_function(run, Function(method, run.modules.get(method.file) or cls.frame, inner), node, scattered)
        finally:
            self._replicas -= 1
            run.heap.undo()

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """A call, once its parts are evaluated."""
        if isinstance(callee, External) and callee.name.startswith("torch.utils.data."):
            self._loads(node, callee.name.rpartition(".")[2], arguments)
        if not self._replicas or (argument := _device_argument(name, receiver, callee, arguments)) is None:
            return
        place = named_by(argument.value, argument.node)
        if place is None or place.device is None or place.device.index is None:
            return
        if self._of_tensor(argument.node):
            return
        self.fixed.setdefault(node, FixedInReplica(self.run.meetings.site(node), argument.node, place.device))

    def _of_tensor(self, node: cst.BaseExpression) -> bool:
        """`x.device`, or a name for it: whatever put the tensor there says it already."""
        frame = self.run.frame
        if isinstance(node, cst.Name) and (bound := frame.bound.get(node.value)) is not None:
            node = bound.value or node
        if not isinstance(node, cst.Attribute) or node.attr.value != "device":
            return False
        return not isinstance(node.value, cst.Name) or isinstance(frame.lookup(node.value.value), Tensor | Batch)

    # -- the default device ---------------------------------------------------------------------------------------

    def default_set(self, place: Placement | None, argument: Argument, node: cst.CSTNode) -> None:
        """`torch.set_default_device(device)`, for the whole program."""
        known = place is not None and place.on_device and self.run.frame.function is None
        self._default = (place, self.run.spot(node), argument.node) if known and place is not None else None

    def _loads(self, node: cst.Call, last: str, arguments: Arguments) -> None:
        """A loader that shuffles, or a split, draws from the host's generator what is made on the default device."""
        run = self.run
        if self._default is None or run.default_place is not self._default[0]:
            return
        if last == "DataLoader":
            shuffle = keyword_value(arguments, "shuffle", 2)
            if shuffle is None or not (isinstance(shuffle.value, Const) and shuffle.value.value is True):
                return
        elif last != "random_split":
            return
        generator = keyword_value(arguments, "generator")
        if any(argument.star for argument in arguments):
            return
        given = generator is not None and not (isinstance(generator.value, Const) and generator.value.value is None)
        if given and not (
            generator is not None and isinstance(generator.value, Generator) and not generator.value.place.on_device
        ):
            return
        place, spot, device = self._default
        sure = place.device is not None and place.device.certainty is not Certainty.OPAQUE
        fact = LoaderOffDefault(run.meetings.site(node), node, spot, device, given, last == "random_split", sure)
        self.loaders.setdefault(node, fact)


def _scattered(value: Value) -> Value:
    """An argument as a copy of the module gets it: its tensors are on the card of the copy."""
    match value:
        case Tensor() | Batch():
            return replace(value, place=_REPLICA, origin=None)
        case Items(element=element, items=tuple(items)):
            return replace(value, element=_scattered(element), items=tuple(_scattered(item) for item in items))
        case _:
            return value


def _device_argument(name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> Argument | None:
    """What a move, or a factory, is given as its device."""
    argument = keyword_value(arguments, "device")
    if name in {"to", "cuda"} and receiver is not None and not isinstance(receiver, External | Const):
        return argument or keyword_value(arguments, "", 0)
    known = FACTORIES | DATA_FACTORIES | LIKE
    made = isinstance(callee, External) and callee.name.startswith("torch.")
    return argument if made and isinstance(callee, External) and callee.name.removeprefix("torch.") in known else None

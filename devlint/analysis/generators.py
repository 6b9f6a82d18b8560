"""Random generators, and tensors on another device that are to be filled from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import keyword_value
from devlint.analysis.facts import GeneratorElsewhere
from devlint.analysis.placement import HOST, UNKNOWN, Placement, Where
from devlint.analysis.syntax import root_name, target_names
from devlint.analysis.values import Batch, Const, External, Generator, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_FACTORIES = frozenset("rand randn randint randperm".split())
_OF_FIRST = frozenset("normal bernoulli multinomial poisson binomial".split())
_SAMPLERS = frozenset("DataLoader RandomSampler SubsetRandomSampler WeightedRandomSampler random_split".split())
"""They draw positions on the host, or a seed for their workers: https://docs.pytorch.org/docs/stable/data.html."""
_IN_PLACE = frozenset(
    "normal_ uniform_ random_ bernoulli_ exponential_ cauchy_ geometric_ log_normal_ multinomial bernoulli".split()
)


class Generators:
    """The calls of one run that are given a generator of another device."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, GeneratorElsewhere] = {}

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """A call, once its parts are evaluated."""
        given = keyword_value(arguments, "generator")
        if given is None or not isinstance(generator := given.value, Generator) or self.run.guarded:
            return
        place, loads = self._drawn_on(name, receiver, callee, arguments)
        if place is None or not _known(place) or not _known(generator.place):
            return
        if place.on_device == generator.place.on_device:
            self.found.pop(node, None)
            return
        self.found.setdefault(
            node,
            GeneratorElsewhere(self.run.meetings.site(given.node), node, generator.site, generator.place, place, loads),
        )

    def _drawn_on(
        self, name: str, receiver: Value | None, callee: Value, arguments: Arguments
    ) -> tuple[Placement | None, bool]:
        """Where the numbers are wanted, and whether something that loads data wants them."""
        from devlint.analysis.devices import named_by

        if isinstance(receiver, Tensor) and name in _IN_PLACE:
            return receiver.place, False
        space, _, last = (callee.name if isinstance(callee, External) else "").rpartition(".")
        if space == "torch" and last in _FACTORIES:
            device = keyword_value(arguments, "device")
            if device is not None and not (isinstance(device.value, Const) and device.value.value is None):
                return named_by(device.value, device.node) or UNKNOWN, False
            if any(keyword_value(arguments, word) is not None for word in ("out", "layout")):
                return None, False
            return self.run.default_place or HOST, last == "randperm"
        if (space == "torch" and last in _OF_FIRST) or space == "torch.nn.init":
            first = arguments[0].value if arguments else None
            return (first.place if isinstance(first, Tensor | Batch) else None), False
        if space.startswith("torch.utils.data") and last in _SAMPLERS and self.run.default_place is None:
            return HOST, True
        return None, False


def made_generator(run: Interpreter, node: cst.CSTNode, arguments: Arguments, *, default: bool) -> Generator:
    """`torch.Generator(device)`, or the default one of the host, which `torch.manual_seed` gives back."""
    from devlint.analysis.devices import named_by

    device = None if default else keyword_value(arguments, "device", 0)
    place = HOST if device is None else named_by(device.value, device.node) or UNKNOWN
    if any(argument.star for argument in arguments) or (device is not None and _bound_by_loop(run, device.node)):
        place = UNKNOWN
    return Generator(place, None if default else run.meetings.site(node))


def _bound_by_loop(run: Interpreter, node: cst.BaseExpression) -> bool:
    """`for place in ("cpu", device)`: several devices under one name."""
    return any(
        isinstance(loop.node, cst.For | cst.CompFor) and root_name(node) in target_names(loop.node.target)
        for loop in run.frame.loops
    )


def _known(place: Placement) -> bool:
    return place.on_device or place.where in (Where.HOST, Where.HOME)

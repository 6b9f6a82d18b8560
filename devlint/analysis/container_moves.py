"""Moves of what has no `.to`: lists, tuples, dicts, loaders, data sets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import MoveOnContainer
from devlint.analysis.parsed import Spot
from devlint.analysis.surroundings import around, holds, within
from devlint.analysis.syntax import descendants, dotted, root_name
from devlint.analysis.values import (
    Batch,
    Const,
    Dataset,
    External,
    Form,
    Instance,
    Items,
    Loader,
    Scalar,
    Table,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

MOVES = frozenset(["to", "cuda", "cpu"])
_ASKS = r"(isinstance|hasattr|is_tensor|type|getattr|callable|issubclass)\(\s*"
_GOES_ON = frozenset(["AttributeError", "Exception", "BaseException"])


class ContainerMoves:
    """The moves of one run that stop with an `AttributeError`."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, MoveOnContainer] = {}

    def call_seen(self, node: cst.Call, name: str, receiver: Value) -> None:
        """A method call, once its parts are evaluated."""
        if name not in MOVES or not isinstance(node.func, cst.Attribute) or node in self.found:
            return
        moved = node.func.value
        kind, parts, still, one_of = self._kind(receiver, moved)
        if not kind or self._asked_first(node, moved) or self._may_be_another(moved):
            return
        if one_of and self._passed_over(node):
            return
        bound = self.run.frame.bound.get(dotted(moved))
        made = Spot(self.run.frame.file, bound.statement) if bound is not None else None
        self.found[node] = MoveOnContainer(
            self.run.meetings.site(node), node, moved, kind, parts, still, one_of, made, self._caught(node)
        )

    def _kind(self, value: Value, moved: cst.BaseExpression) -> tuple[str, bool, tuple[tuple[object, str], ...], bool]:
        """What it is as Python names it, nothing if it may have a `.to`; its parts; whether it is any of several."""
        match value:
            case Items(items=items, names=(), element=element) if items != ():
                known = items if items is not None else (element,)
                if all(isinstance(v, Const | Scalar) for v in known):
                    return self._sequence(moved), False, tuple((i, "") for i in range(len(known))), False
                return self._sequence(moved), all(isinstance(v, Tensor | Batch) for v in known), (), False
            case Table(element=Batch(form=Form(kind="dict", still=still, sure=sure))):
                return "dict", sure and not still, still, False
            case Table(element=Batch()):
                return "", False, (), False
            case Table(entries=entries, element=element) if entries != {}:
                known = tuple(entries.values()) if entries is not None else (element,)
                still = tuple((key, "") for key, v in (entries or {}).items() if isinstance(v, Const | Scalar | Items))
                return "dict", all(isinstance(v, Tensor | Batch) for v in known), still, False
            case Batch(form=Form(kind="part", still=still)):
                return still[0][1], False, still, True
            case Batch(form=Form(kind="list" | "sequence" | "dict" as kind, still=still, sure=sure), part=False):
                return ("tuple" if kind == "sequence" else kind), sure and not still, still, False
            case Loader():
                return "DataLoader", False, (), False
            case Dataset():
                return "TensorDataset", False, (), False
            case Instance(cls=cls):
                bases = [base for one in cls.lineage() for base in one.bases]
                plain = bool(bases) and all(
                    not isinstance(base, External) or base.name.startswith("torch.utils.data.") for base in bases
                )
                torchs = any(isinstance(base, External) and base.name.startswith("torch.utils.data.") for base in bases)
                if (
                    not plain
                    or not torchs
                    or cls.unknown_base
                    or any({*MOVES, "__getattr__"} & {*one.methods, *one.attributes} for one in cls.lineage())
                ):
                    return "", False, (), False
                return cls.name, False, (), False
            case _:
                return "", False, (), False

    def _sequence(self, moved: cst.BaseExpression) -> str:
        """`list`, `tuple`, `generator` ... by what the text shows; `list` where it shows nothing."""
        bound = self.run.frame.bound.get(dotted(moved))
        match bound.value if bound is not None else moved:
            case cst.Tuple() | cst.Call(func=cst.Name(value="tuple")):
                return "tuple"
            case cst.Set() | cst.SetComp() | cst.Call(func=cst.Name(value="set")):
                return "set"
            case cst.GeneratorExp():
                return "generator"
            case cst.Call(func=cst.Name(value="map" | "zip" | "enumerate" | "filter" | "range" as name)):
                return name
            case cst.Call(func=cst.Attribute(attr=cst.Name(value="parameters" | "buffers" | "named_parameters"))):
                return "generator"
            case _:
                function = self.run.frame.function
                star = function.node.params.star_arg if function is not None else None
                return "tuple" if isinstance(star, cst.Param) and star.name.value == dotted(moved) else "list"

    def _asked_first(self, node: cst.Call, moved: cst.BaseExpression) -> bool:
        """Whether the code asks what kind of thing it has, or is reached under a condition by what the caller gave."""
        frame = self.run.frame
        scope: cst.CSTNode = frame.function.node if frame.function is not None else frame.file.module
        text = frame.file.code(scope) if frame.function is not None else frame.file.source.text
        names = {re.escape(name) for name in (root_name(moved), frame.file.code(moved)) if name}
        if any(re.search(rf"{_ASKS}{name}\b", text) for name in names):
            return True
        if frame.function is None or root_name(moved) in frame.bound:
            return False
        given = {param.name.value for param in frame.function.parameters}
        return root_name(moved) in given and any(
            isinstance(outer, cst.If | cst.IfExp | cst.Try | cst.MatchCase) for outer in around(scope, node)
        )

    def _may_be_another(self, moved: cst.BaseExpression) -> bool:
        """An attribute that is set in several places may hold a tensor by then."""
        if not isinstance(moved, cst.Attribute):
            return False
        name = re.escape(moved.attr.value)
        text = self.run.frame.file.source.text
        return len(re.findall(rf"\.{name}\s*(?::[^=\n]+)?=(?!=)", text)) != 1 or "setattr(" in text

    def _passed_over(self, node: cst.Call) -> bool:
        """A loop over all parts that looks at each before it moves it."""
        for loop in reversed(self.run.frame.loops):
            match loop.node:
                case cst.CompFor(ifs=ifs):
                    comprehension = next(
                        (n for n in descendants(self.run.frame.file.module) if getattr(n, "for_in", None) is loop.node),
                        None,
                    )
                    return bool(ifs) or (comprehension is not None and _chosen(comprehension, node))
                case cst.For(body=body):
                    return _chosen(body, node) or any(
                        isinstance(n, cst.Continue | cst.Break | cst.Del) for n in descendants(body)
                    )
        return True

    def _caught(self, node: cst.Call) -> bool:
        function = self.run.frame.function
        scope = function.node if function is not None else self.run.frame.file.module
        return any(
            isinstance(outer, cst.Try) and within(outer.body, node) and any(map(_forgives, outer.handlers))
            for outer in around(scope, node)
        )


def _chosen(scope: cst.CSTNode, node: cst.CSTNode) -> bool:
    return any(isinstance(outer, cst.If | cst.IfExp | cst.BooleanOperation) for outer in around(scope, node))


def _forgives(handler: cst.ExceptHandler) -> bool:
    return handler.type is None or holds(
        handler.type, lambda part: isinstance(part, cst.Name) and part.value in _GOES_ON
    )

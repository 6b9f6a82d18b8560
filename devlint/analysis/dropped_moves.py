"""Moves whose result nobody takes: `x.to(device)` as a statement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import DiscardedMove, Receiver
from devlint.analysis.syntax import dotted, root_name, target_names
from devlint.analysis.values import Batch, Function, Items, Module, Origin, Table, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

_GRAPH_USE = r"\.(x|edge_index|edge_attr|batch|ndata|edata|num_graphs|input_ids|attention_mask|keys|items)\b"


class DroppedMoves:
    """The dropped moves of one run."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, DiscardedMove] = {}
        self.values: set[tuple[cst.CSTNode, str]] = set()
        """Where the values were made that somebody meant to move, and the names they had."""
        self.receivers: dict[cst.CSTNode, Value] = {}
        """What each move is called on."""

    def discarded(self, node: cst.Call, value: Value, kept_as: tuple[str, cst.CSTNode] | None = None) -> None:
        """A call whose value nobody takes: was it a move whose result is lost?

        kept_as: what to assign to, and before which node, where the call is part of a tuple or a comprehension.
        """
        receiver = self.receivers.get(node)
        if node in self.run.meetings.transfers.containers.found:
            return
        if receiver is None:
            self._discarded_helper(node, value)
            return
        assert isinstance(node.func, cst.Attribute)
        moved = node.func.value
        known = self.run.meetings.kind_of(receiver, node)
        match receiver:
            case Tensor(parameter=True):
                return
            case Tensor() | Batch():
                if not (isinstance(value, Tensor | Batch) and value.place.on_device) or receiver.place.on_device:
                    return
                if isinstance(moved, cst.Call):
                    return
                if isinstance(receiver, Batch) and not self._drops_a_tensor(receiver, moved):
                    return
                self._note_dropped(receiver, moved)
            case Unknown() if known is not Receiver.UNKNOWN and self._is_move(node):
                pass
            case Module() if self._is_move(node):
                pass
            case _:
                return
        self.found[node] = DiscardedMove(
            self.run.meetings.site(node), known, moved, node, self._display_behind(moved), kept_as, self._loop_of(moved)
        )

    def discarded_display(self, node: cst.BaseExpression, value: Value) -> None:
        """`x.to(d), y.to(d)` and `[t.to(d) for t in batch]` as statements."""
        match node:
            case cst.Tuple(elements=elements):
                calls = [e.value for e in elements if isinstance(e.value, cst.Call) and e.value in self.receivers]
                if not calls or len(calls) != len(elements) or not isinstance(value, Items) or value.items is None:
                    return
                names = [dotted(call.func.value) for call in calls if isinstance(call.func, cst.Attribute)]
                for call, item in zip(calls, value.items, strict=False):
                    self.discarded(call, item, (", ".join(names), node) if all(names) else None)
            case cst.ListComp(elt=cst.Call() as call, for_in=cst.CompFor(iter=iterated)) if isinstance(value, Items):
                source = _moved_from(value)
                if source is not None and call in self.receivers:
                    self.values.add((source.spot.node, dotted(iterated)))
                    kept = (dotted(iterated), node) if dotted(iterated) else None
                    moved = call.func.value if isinstance(call.func, cst.Attribute) else iterated
                    self.found[call] = DiscardedMove(
                        self.run.meetings.site(call), Receiver.TENSOR, moved, call, (), kept, None
                    )

    def _loop_of(self, moved: cst.BaseExpression) -> cst.For | None:
        """The loop over the parts of something that binds the moved name."""
        name = dotted(moved)
        for loop in reversed(self.run.frame.loops):
            if isinstance(loop.node, cst.For) and name in target_names(loop.node.target) and not loop.over_batches:
                return loop.node
        return None

    def _is_move(self, node: cst.Call) -> bool:
        """`.cuda()`, or `.to(x)` where `x` is no dtype by its looks."""
        if isinstance(node.func, cst.Attribute) and node.func.attr.value != "to":
            return True
        if not node.args:
            return False
        text = dotted(node.args[0].value)
        return not re.search(r"dtype|float|half|double|int|long|type", text)

    def _drops_a_tensor(self, receiver: Batch, moved: cst.BaseExpression) -> bool:
        """A whole batch may be an object that moves in place; an unpacked part is a tensor unless used otherwise."""
        name = dotted(moved)
        if not name:
            return isinstance(moved, cst.Subscript) and receiver.part and bool(dotted(moved.value))
        if self.run.meetings.uses.used_so(name, _GRAPH_USE) and self._loop_of(moved) is None:
            return False
        return receiver.part or self.run.meetings.uses.as_tensor(name) or self._fed_alone(name)

    def _fed_alone(self, name: str) -> bool:
        return self.run.meetings.uses.text_has(rf"\(\s*{re.escape(name)}\s*[,)]")

    def _note_dropped(self, receiver: Tensor | Batch, moved: cst.BaseExpression) -> None:
        name = root_name(moved)
        if receiver.origin is not None:
            self.values.add((receiver.origin.spot.node, name))
            if (around := self._loop_of(moved)) is not None:
                self.values.add((receiver.origin.spot.node, root_name(around.iter)))
        for loop in self.run.frame.loops:
            if isinstance(loop.node, cst.For) and isinstance(loop.node.iter, cst.Tuple | cst.List):
                for element in loop.node.iter.elements:
                    value = self.run.frame.env.get(root_name(element.value))
                    if isinstance(value, Tensor | Batch) and value.origin is not None:
                        self.values.add((value.origin.spot.node, root_name(element.value)))

    def _display_behind(self, moved: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
        for loop in reversed(self.run.frame.loops):
            if (
                isinstance(loop.node, cst.For)
                and isinstance(loop.node.target, cst.Name)
                and dotted(moved) == loop.node.target.value
            ):
                if isinstance(loop.node.iter, cst.Tuple | cst.List):
                    return tuple(element.value for element in loop.node.iter.elements)
        return ()

    def _discarded_helper(self, node: cst.Call, value: Value) -> None:
        """`to_device(batch, device)` as a statement, where the function returns the moved batch."""
        source = _moved_from(value)
        if source is None or not node.args:
            return
        callee = self.run.find(dotted(node.func)) if dotted(node.func) else None
        moved = node.args[0].value
        given = self.run.frame.env.get(dotted(moved)) if isinstance(moved, cst.Name) else None
        if isinstance(callee, Function) and isinstance(given, Tensor | Batch) and given.origin is not None:
            if given.origin.spot != source.spot or given.place.on_device:
                return
            self.values.add((given.origin.spot.node, ""))
            self.found[node] = DiscardedMove(self.run.meetings.site(node), Receiver.TENSOR, moved, node)


def _moved_from(value: Value) -> Origin | None:
    match value:
        case Tensor() | Batch() if value.place.on_device:
            return value.moved_from
        case Items(element=element) | Table(element=element):
            return _moved_from(element)
        case _:
            return None

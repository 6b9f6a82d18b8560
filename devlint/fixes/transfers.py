"""Repairs of moves: of containers part by part, of tensors made in the wrong place, of what is kept too long."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import libcst as cst

from devlint.analysis.facts import (
    CardsMeet,
    ConstantMovedInLoop,
    CreatedThenMoved,
    FixedInReplica,
    GeneratorElsewhere,
    IndexElsewhere,
    KeptGraph,
    LoaderOffDefault,
    MoveInWorker,
    MoveOnContainer,
    StoredElsewhere,
)
from devlint.analysis.syntax import descendants, dotted, target_names
from devlint.finding import Edit, Fix
from devlint.fixes.anchors import call_on, indent_of, next_line
from devlint.fixes.moves import Moves, fix_of, if_tensor


class TransferRepairs(Moves):
    """Mixed into the device plan."""

    def move_parts(self, fact: MoveOnContainer) -> Fix | None:
        """`pair.to(device)` becomes `[part.to(device) for part in pair]`; of a dict, a dict."""
        span, moved = self.file.span(fact.call), self.file.code(fact.moved)
        move = self.file.source.text[self.file.outer(fact.moved).end : span.end].strip()
        torch, imports = self._torch
        if fact.one_of:
            text = if_tensor(moved, move, torch)
            return fix_of("move the tensors", [*imports, Edit(span.start, span.end, text)], True)
        if fact.kind not in {"list", "tuple", "dict"} or not dotted(fact.moved):
            return None
        if fact.still and fact.kind != "dict" and not fact.parts and isinstance(fact.still[0][0], int):
            return None
        name, given = "part" if fact.kind != "dict" else "value", f" in {moved}"
        if fact.kind == "dict":
            given = f", value in {moved}.items()"
        each = f"{name}{move}" if fact.parts else if_tensor(name, move, torch)
        body = f"{each} for {name}{given}" if fact.kind != "dict" else f"key: {each} for key{given}"
        brackets = {"list": "[{}]", "tuple": "tuple({})", "dict": "{{{}}}"}[fact.kind]
        text = brackets.format(body)
        if any(isinstance(node, cst.Expr) and node.value is fact.call for node in descendants(fact.site.statement)):
            text = f"{moved} = {text}"
        edits = [*(() if fact.parts else imports), Edit(span.start, span.end, text)]
        return fix_of("move its parts", edits, not fact.parts or fact.caught)

    def make_in_place(self, fact: CreatedThenMoved) -> Fix | None:
        """`torch.zeros(n).to(device)` becomes `torch.zeros(n, device=device)`."""
        assert isinstance(fact.call.func, cst.Attribute)
        start, end = self.file.outer(fact.call.func.value).end, self.file.span(fact.call).end
        if "#" in self.file.source.text[start:end]:
            return None
        edits = [self._add_argument(fact.made, f"device={self.file.code(fact.device)}"), Edit(start, end, "")]
        return fix_of("make it on the device", edits, fact.random)

    def hoist_move(self, fact: ConstantMovedInLoop) -> Fix | None:
        """The move goes before the loop, where the device is known there and nothing else reads the tensor."""
        indent, site = indent_of(self.file, fact.loop), fact.site
        if not fact.alone or indent is None or site.frame is None:
            return None
        device = next((dotted(arg.value) for arg in fact.call.args if arg.keyword is None), "")
        bound = site.frame.bound.get(device.partition(".")[0])
        if not device or (bound is not None and not self._before(bound.statement, fact.loop)):
            return None
        start, call = self.file.span(fact.loop).start, self.file.span(fact.call)
        line = f"{fact.name} = {self.file.code(fact.call)}\n{indent}"
        edits = [Edit(start, start, line), Edit(call.start, call.end, fact.name)]
        return fix_of("move it once, before the loop", edits, False)

    def keep_without_graph(self, fact: KeptGraph) -> Fix | None:
        """`total += loss` becomes `total += loss.item()`, or `.detach()` where something may want a tensor."""
        end = self.file.span(fact.loss).end
        way = ".item()" if fact.numbers else ".detach()"
        return fix_of(f"keep it with `{way}`", [Edit(end, end, way)], False)

    def index_on_host(self, fact: IndexElsewhere) -> Fix | None:
        """`host[mask]` becomes `host[mask.cpu()]`."""
        edits = [edit for index in fact.indices for edit in call_on(self.file, index, "cpu()")]
        return fix_of("bring the index to the host", edits, False)

    def store_from_host(self, fact: StoredElsewhere) -> Fix | None:
        """`host[mask] = values` becomes `host[mask] = values.cpu()`."""
        return fix_of("bring the values to the host", call_on(self.file, fact.value, "cpu()"), False)

    def keep_at_home(self, fact: MoveInWorker) -> Fix | None:
        """`return x.to(device)` becomes `return x`; `x = x.to(device)` goes. What uses the batch moves it."""
        if fact.module or not fact.calls:
            return None
        if (line := self._only_moves(fact.site.statement, fact.calls)) is not None:
            return fix_of("leave the move to the main process", [line], True)
        edits: list[Edit] = []
        for call in fact.calls:
            if (edit := self._without_device(call)) is None:
                return None
            edits.append(edit)
        return fix_of("leave the move to the main process", edits, True)

    def _only_moves(self, statement: cst.CSTNode, calls: Sequence[cst.Call]) -> Edit | None:
        """The deletion of a line that only binds names to themselves, moved."""
        if not isinstance(statement, cst.SimpleStatementLine):
            return None
        match statement.body:
            case [cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]:
                given = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]
                moved = [call.func.value for call in calls if isinstance(call.func, cst.Attribute)]
                names = [dotted(part) for part in moved]
                if len(given) != len(calls) or set(map(id, given)) != set(map(id, calls)):
                    return None
                if names != target_names(target) or indent_of(self.file, statement) is None or self._alone(statement):
                    return None
                text, span = self.file.source.text, self.file.span(statement)
                start = span.start - len(indent_of(self.file, statement) or "")
                return Edit(start, next_line(text, span.end - (text[span.end - 1 : span.end] == "\n")), "")
        return None

    def _alone(self, statement: cst.CSTNode) -> bool:
        """Whether it is all that its block holds."""
        return any(
            isinstance(node, cst.IndentedBlock) and len(node.body) == 1 and node.body[0] is statement
            for node in descendants(self.file.module)
        )

    def _without_device(self, call: cst.Call) -> Edit | None:
        """A move without the move, a factory without its `device=`."""
        func = call.func
        if isinstance(func, cst.Attribute) and func.attr.value in {"to", "cuda"}:
            extra = [arg for arg in call.args if arg.keyword is not None and arg.keyword.value != "device"]
            if len(call.args) - len(extra) > 1 or any(dotted(arg.keyword or arg) != "non_blocking" for arg in extra):
                return None
            return Edit(self.file.span(func.value).end, self.file.span(call).end, "")
        for before, arg in pairwise(call.args):
            if arg.keyword is not None and arg.keyword.value == "device":
                return Edit(self.file.span(before.value).end, self.file.span(arg.value).end, "")
        return None

    def join_partner(self, fact: CardsMeet) -> Fix | None:
        """`a + b` becomes `a + b.to(a.device)`."""
        if fact.partner is None or not dotted(fact.partner) or fact.site.guarded:
            return None
        edits = call_on(self.file, fact.operand, f"to({dotted(fact.partner)}.device)")
        return fix_of("move it to the other card", edits, True)

    def follow_input(self, fact: FixedInReplica) -> Fix | None:
        """The device of the forward's input, which is on the card of the copy."""
        chosen = self.of_module(fact.site, inputs=True)
        call, root = fact.site.spot.node, chosen.text.partition(".")[0] if chosen is not None else ""
        if chosen is None or "(" in chosen.text:
            return None
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and dotted(call.func.value) == root:
            return None  # a move of the input to where it is
        span = self.file.span(fact.argument)
        return fix_of(f"use `{chosen.text}`", [*chosen.edits, Edit(span.start, span.end, chosen.text)], chosen.unsafe)

    def draw_on_default(self, fact: LoaderOffDefault) -> Fix | None:
        """`DataLoader(..., generator=torch.Generator(device=device))`."""
        if fact.given:
            return None
        torch, imports = self._torch
        text = dotted(fact.device)
        if not text or fact.default.file is not self.file or not self._visible(text, fact.site):
            text = f"{torch}.get_default_device()"
        added = self._add_argument(fact.call, f"generator={torch}.Generator(device={text})")
        return fix_of("draw on the default device", [*imports, added], True)

    def agree_on_generator(self, fact: GeneratorElsewhere) -> Fix | None:
        """Make the generator where the numbers are wanted; a tensor that nobody placed goes to the generator."""
        call = fact.call
        if fact.place.on_device and not fact.loads:
            if fact.place.device is None or not self._visible(fact.place.device.text, fact.site):
                return None
            if not isinstance(call.func, cst.Attribute) or dotted(call.func.value) != self._torch[0]:
                return None
            return fix_of("make it there", [self._add_argument(call, f"device={fact.place.device.text}")], False)
        made = fact.made.spot.node if fact.made is not None else None
        if fact.made is None or not isinstance(made, cst.Call) or fact.made.spot.file is not self.file:
            return None
        start, end = self.file.span(made.func).end, self.file.span(made).end
        if fact.place.on_device:
            return fix_of("make the generator on the host", [Edit(start, end, "()")], False)
        chosen = self.choose(fact.made, fact.wanted.device)
        return fix_of(
            f"make the generator on `{chosen.text}`",
            [*chosen.edits, Edit(start, end, f"(device={chosen.text})")],
            chosen.unsafe,
        )

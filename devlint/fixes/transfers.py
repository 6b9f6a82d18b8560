"""Repairs of moves: of containers part by part, of tensors made in the wrong place, of what is kept too long."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.facts import MoveOnContainer
from devlint.analysis.syntax import descendants, dotted
from devlint.finding import Edit, Fix
from devlint.fixes.moves import Moves, fix_of


class TransferRepairs(Moves):
    """Mixed into the device plan."""

    def move_parts(self, fact: MoveOnContainer) -> Fix | None:
        """`pair.to(device)` becomes `[part.to(device) for part in pair]`; of a dict, a dict."""
        span, moved = self.file.span(fact.call), self.file.code(fact.moved)
        move = self.file.source.text[self.file.span(fact.moved).end : span.end].strip()
        torch, imports = self._torch
        if fact.one_of:
            text = f"{moved}{move} if isinstance({moved}, {torch}.Tensor) else {moved}"
            return fix_of("move the tensors", [*imports, Edit(span.start, span.end, text)], True)
        if fact.kind not in {"list", "tuple", "dict"} or not dotted(fact.moved):
            return None
        if fact.still and fact.kind != "dict" and not fact.parts and isinstance(fact.still[0][0], int):
            return None
        name, given = "part" if fact.kind != "dict" else "value", f" in {moved}"
        if fact.kind == "dict":
            given = f", value in {moved}.items()"
        each = f"{name}{move}"
        if not fact.parts:
            each = f"{each} if isinstance({name}, {torch}.Tensor) else {name}"
        body = f"{each} for {name}{given}" if fact.kind != "dict" else f"key: {each} for key{given}"
        brackets = {"list": "[{}]", "tuple": "tuple({})", "dict": "{{{}}}"}[fact.kind]
        text = brackets.format(body)
        if any(isinstance(node, cst.Expr) and node.value is fact.call for node in descendants(fact.site.statement)):
            text = f"{moved} = {text}"
        edits = [*(() if fact.parts else imports), Edit(span.start, span.end, text)]
        return fix_of("move its parts", edits, not fact.parts or fact.caught)

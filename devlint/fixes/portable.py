"""Rewrites of code that names one kind of machine in other ways than by a move or a literal."""

from __future__ import annotations

from devlint.analysis.facts import (
    AvailabilityNotCalled,
    AvailabilityUse,
    DeviceCheck,
    DeviceComparedToString,
)
from devlint.finding import Edit, Fix
from devlint.fixes.moves import Moves, fix_of


class PortableRewrites(Moves):
    """Mixed into the device plan."""

    def call_it(self, fact: AvailabilityNotCalled) -> Fix | None:
        """`torch.cuda.is_available` becomes `torch.cuda.is_available()`."""
        if fact.called_too:
            return None
        end = self.file.span(fact.site.spot.node).end
        unsafe = fact.use in (AvailabilityUse.COMPARISON, AvailabilityUse.TEXT)
        return fix_of("call it", [Edit(end, end, "()")], unsafe)

    def compare_type(self, fact: DeviceComparedToString) -> Fix | None:
        """`x.device == "cuda"` becomes `x.device.type == "cuda"`; with an index `str(x.device) == "cuda:0"`."""
        span = self.file.span(fact.device)
        indexed = any(":" in text for text in fact.texts)
        if fact.check is DeviceCheck.TYPE_WITH_INDEX:
            text = self.file.code(fact.device).removesuffix(".type")
            return fix_of("compare the whole device", [Edit(span.start, span.end, f"str({text})")], True)
        if indexed:
            edits = [Edit(span.start, span.start, "str("), Edit(span.end, span.end, ")")]
            return fix_of("compare as text", edits, True)
        return fix_of("compare the type", [Edit(span.end, span.end, ".type")], True)

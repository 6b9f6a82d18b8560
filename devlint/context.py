"""What a rule is given besides a fact: the file, its device plan, and a way to write a finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.analysis.facts import Doubt
from devlint.analysis.parsed import ParsedFile, Spot
from devlint.finding import Finding, Fix, Place, Severity, Span
from devlint.rule import Rule

if TYPE_CHECKING:
    from devlint.analysis.project import Project
    from devlint.fixes.device_plan import DevicePlan, Style


class Context:
    """One per file and run."""

    def __init__(self, path: Path, project: Project, settings: Style, facts: Sequence[object] = ()) -> None:
        self.path = path
        self.project = project
        self.settings = settings
        self.facts = facts
        """Everything that is known of the file: the plan decides from all of it where the device is defined."""
        self.at_top = False

    @cached_property
    def file(self) -> ParsedFile:
        """The parse that the facts point into; a later parse of the same text has other nodes."""
        for fact in self.facts:
            spot = getattr(getattr(fact, "site", None) or getattr(fact, "origin", None), "spot", None)
            if isinstance(spot, Spot) and spot.file.path == self.path:
                return spot.file
        return self.project.parsed(self.path)

    @cached_property
    def plan(self) -> DevicePlan:
        from devlint.fixes.device_plan import DevicePlan

        return DevicePlan(self.file, self.settings, self.facts, at_top=self.at_top)

    def planned_again(self, findings: Iterable[Finding]) -> bool:
        """Whether the plan defined the device where not all of these fixes see it; it then has another one."""
        if "plan" not in self.__dict__ or not self.plan.scattered([f.fix for f in findings if f.fix is not None]):
            return False
        del self.plan
        self.at_top = True
        return True

    def finding(
        self,
        rule: Rule,
        spot: Spot,
        message: str,
        *,
        severity: Severity | None = None,
        label: str = "",
        related: Iterable[tuple[Spot | None, str]] = (),
        consequence: str = "",
        fix: Fix | None = None,
    ) -> Finding:
        """A finding of `rule` at `spot`. related: further places with a word each; those that are None are left out."""
        seen: set[tuple[Path, Span]] = {(spot.file.path, spot.span)}
        places: list[Place] = []
        for other, word in related:
            if other is None or (key := (other.file.path, other.span)) in seen:
                continue
            seen.add(key)
            places.append(Place(other.file.path, other.span, word))
        return Finding(
            rule.code,
            rule.name,
            message,
            severity or rule.severity,
            spot.file.path,
            spot.span,
            label,
            tuple(places),
            consequence,
            fix,
        )

    def doubts(self) -> list[Finding]:
        """What no rule speaks of and no safe fix may bring about."""
        return [
            Finding("", "", fact.about, Severity.WARNING, fact.site.spot.file.path, fact.site.spot.span)
            for fact in self.facts
            if isinstance(fact, Doubt) and not fact.site.guarded
        ]

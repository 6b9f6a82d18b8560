"""Fixing until nothing is left to fix: apply, analyse the new text, apply again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.finding import Applicability, Fix
from devlint.fixes.apply import apply_fixes
from devlint.source.paths import shown
from devlint.source.text import Source, SourceError

if TYPE_CHECKING:
    from devlint.check import Checker, Outcome

MOST_PASSES = 10


@dataclass
class Fixed:
    """What fixing came to.

    outcome: what is still found in the fixed texts.
    changed: the fixed files; the others stay as they are.
    counts: how many fixes were applied to each file.
    """

    outcome: Outcome
    changed: dict[Path, Source] = field(default_factory=dict)
    counts: Counter[Path] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """How many fixes were applied."""
        return self.counts.total()


def fix_until_stable(checker: Checker, *, unsafe: bool = False) -> Fixed:
    """Apply safe fixes (with `unsafe` also unsafe ones) in passes until one changes nothing; writes nothing.

    A file whose fixed text would not parse, or would not fit its encoding, is left as it was.
    """
    fixed = Fixed(checker.check())
    first = fixed.outcome
    stuck: dict[Path, str] = {}
    for _ in range(MOST_PASSES):
        texts = _one_pass(fixed, unsafe, stuck)
        if not texts:
            break
        for path, source in texts.items():
            if source.data == checker.originals[path].data:
                fixed.changed.pop(path, None)
            else:
                fixed.changed[path] = source
        fixed.outcome = checker.check(fixed.changed)
    else:
        fixed.outcome.warnings.append(f"fixes did not settle in {MOST_PASSES} passes; run devlint once more")
    fixed.outcome.failures += stuck.values()
    _keep_notes(first, fixed.outcome)
    return fixed


def may_apply(fix: Fix | None, *, unsafe: bool) -> bool:
    """Whether `--fix` (with `--unsafe-fixes`) applies this fix."""
    levels = (Applicability.SAFE, Applicability.UNSAFE) if unsafe else (Applicability.SAFE,)
    return fix is not None and fix.applicability in levels


def _one_pass(fixed: Fixed, unsafe: bool, stuck: dict[Path, str]) -> Mapping[Path, Source]:
    from devlint.fixes.prove import parse_problem

    fixes: dict[Path, list[Fix]] = defaultdict(list)
    for finding in fixed.outcome.findings:
        if finding.fix is not None and may_apply(finding.fix, unsafe=unsafe) and finding.path not in stuck:
            fixes[finding.path].append(finding.fix)
    texts: dict[Path, Source] = {}
    for path, wanted in fixes.items():
        source = fixed.outcome.sources[path]
        text, applied = apply_fixes(source.text, wanted, source.newline)
        if text == source.text:
            continue
        if problem := parse_problem(text):
            stuck[path] = f"{shown(path)}: internal error: a fix would break the file ({problem}); not fixed"
            continue
        try:
            texts[path] = source.with_text(text)
        except SourceError as error:
            stuck[path] = f"{shown(path)}: not fixed: {error}"
            continue
        fixed.counts[path] += len(applied)
    return texts


def _keep_notes(first: Outcome, last: Outcome) -> None:
    """Crashes of the first run stay known when a fix made them go away."""
    if last is not first:
        last.failures += [failure for failure in first.failures if failure not in last.failures]
        last.tracebacks += [trace for trace in first.tracebacks if trace not in last.tracebacks]

"""Selectors, how people name rules: `ALL`, a prefix `DVL2`, a code `DVL201`, a name `batch-not-moved`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from devlint.rule import Rule, all_rules

ALL = "ALL"
ALWAYS_ON = "DVL901"
"""A file that cannot be read was not checked: that is said unless it is ignored by name."""


def find_rule(word: str) -> Rule:
    """The rule with this code or name; raises ValueError, with a guess at what was meant."""
    for rule in all_rules().values():
        if word in (rule.code, rule.name):
            return rule
    raise ValueError(f"unknown rule `{word}`{guess(word)}")


def check_selector(selector: str) -> str:
    """The selector itself; raises ValueError when it names no rule."""
    if not _selected(selector):
        raise ValueError(f"unknown rule `{selector}`{guess(selector)}")
    return selector


def enabled_codes(select: Iterable[str], extend_select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """The codes of the rules that are on.

    Without `select` the default rules are. The narrower selector wins: `ignore = ["DVL2"]` with
    `extend-select = ["DVL201"]` leaves DVL201 on. Between equals `ignore` wins.
    """
    on: dict[str, int] = {}
    chosen = list(select)
    if not chosen:
        on = {code: 0 for code, rule in all_rules().items() if rule.default}
    elif ALWAYS_ON in all_rules():
        on = {ALWAYS_ON: 0}
    _narrowest(on, [*chosen, *extend_select])
    off: dict[str, int] = {}
    _narrowest(off, ignore)
    return frozenset(code for code, width in on.items() if off.get(code, -1) < width)


def codes_by_word() -> dict[str, str]:
    """The code of every rule, by its code and by its name."""
    return {word: rule.code for rule in all_rules().values() for word in (rule.code, rule.name)}


def codes_of(selectors: Iterable[str]) -> frozenset[str]:
    """Every code that one of the selectors names."""
    return frozenset().union(*(_selected(selector) for selector in selectors))


def guess(word: str) -> str:
    """`; did you mean ...?` for the rule that `word` may stand for, or nothing."""
    return did_you_mean(word, _words())


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean ...?` for the nearest candidate, or nothing."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    folded = word.casefold()
    near = get_close_matches(folded, by_folded, n=9)
    best = max(near, key=lambda other: sum(a == b for a, b in zip(folded, other, strict=False)), default=None)
    return f"; did you mean `{by_folded[best]}`?" if best is not None else ""


def _narrowest(widths: dict[str, int], selectors: Iterable[str]) -> None:
    for selector in selectors:
        for code in _selected(selector):
            width = 0 if selector == ALL else len(selector) if code.startswith(selector) else len(code)
            widths[code] = max(widths.get(code, 0), width)


def _selected(selector: str) -> frozenset[str]:
    rules = all_rules()
    if selector == ALL:
        return frozenset(rules)
    if _is_prefix(selector):
        return frozenset(code for code in rules if code.startswith(selector))
    return frozenset(code for code, rule in rules.items() if rule.name == selector)


def _is_prefix(selector: str) -> bool:
    return re.fullmatch(r"[A-Z]+[0-9]*", selector) is not None


def _words() -> list[str]:
    return list(codes_by_word())

"""A rule: a code, a name, and small functions that turn facts of the analysis into findings.

A rule is one file. Its docstring is its documentation page; it declares one `RULE` and registers functions on it by
the type of fact they want. See CONTRIBUTING.md for a walk through a first rule.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from devlint.errors import DevlintError
from devlint.finding import Severity

if TYPE_CHECKING:
    from devlint.context import Context
    from devlint.finding import Finding

F = TypeVar("F")
Check = Callable[[Any, "Context"], Iterable["Finding"]]


@dataclass(slots=True)
class Rule:
    """One kind of device bug that devlint knows.

    code: `DVL` and three digits, never reused; the first digit is the family.
    name: kebab-case, accepted wherever a code is.
    severity: the usual severity; a finding may be milder.
    since: the devlint version that brought the rule.
    default: whether the rule is on without being selected.
    """

    code: str
    name: str
    severity: Severity
    since: str
    default: bool = True
    checks: dict[type, list[Check]] = field(default_factory=dict)
    page: str = ""
    """The documentation page: the docstring of the rule's file."""
    family: str = ""
    """The folder the rule lives in: portability, data, models, transfers, meta, or a third party's name."""

    def on(
        self, fact: type[F]
    ) -> Callable[[Callable[[F, Context], Iterable[Finding]]], Callable[[F, Context], Iterable[Finding]]]:
        """Register a function that is called with every fact of this type and yields findings."""

        def register(check: Callable[[F, Context], Iterable[Finding]]) -> Callable[[F, Context], Iterable[Finding]]:
            self.checks.setdefault(fact, []).append(check)
            return check

        return register

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().partition("\n")[0].rstrip(".")

    @property
    def url(self) -> str:
        """The stable address of the rule's page, which every output format links to."""
        return f"https://devlint.readthedocs.io/rules/{self.name}/"


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in the order of the codes: the built-in ones and those of installed plugins.

    Raises DevlintError when a plugin cannot be loaded or claims a code that is taken.
    """
    rules: dict[str, Rule] = {}
    for rule in [*_built_in(), *_third_party()]:
        if (known := rules.get(rule.code)) is not None and known is not rule:
            raise DevlintError(
                f"two rules claim the code {rule.code}: {known.name} and {rule.name}; uninstall one plugin"
            )
        rules[rule.code] = rule
    return dict(sorted(rules.items()))


def _built_in() -> Iterable[Rule]:
    package = importlib.import_module("devlint.rules")
    yield from _rules_below(package)


def _rules_below(package: ModuleType) -> Iterable[Rule]:
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if info.ispkg:
            continue
        module = importlib.import_module(info.name)
        if isinstance(rule := getattr(module, "RULE", None), Rule):
            rule.page = module.__doc__ or ""
            rule.family = info.name.removeprefix(package.__name__ + ".").partition(".")[0]
            yield rule


def _third_party() -> Iterable[Rule]:
    for entry in entry_points(group="devlint.rules"):
        try:
            loaded = entry.load()
        except Exception as error:
            raise DevlintError(f"the rule plugin {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
        match loaded:
            case Rule() as rule:
                rule.page = rule.page or (sys.modules[entry.module].__doc__ or "")
                rule.family = rule.family or entry.name
                yield rule
            case ModuleType() if hasattr(loaded, "__path__"):
                yield from _rules_below(loaded)
            case ModuleType() if isinstance(held := getattr(loaded, "RULE", None), Rule):
                held.page = held.page or (loaded.__doc__ or "")
                held.family = held.family or entry.name
                yield held
            case _:
                raise DevlintError(f"the rule plugin {entry.name!r} ({entry.value}) holds no devlint Rule")

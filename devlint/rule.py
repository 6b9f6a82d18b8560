"""A rule: a code, a name, and small functions that turn facts of the analysis into findings.

A rule is one file. Its docstring is its documentation page; it declares one `RULE` and registers functions on it by
the type of fact they want. See CONTRIBUTING.md for a walk through a first rule.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
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

    code: `DVL` and three digits, never reused; the first digit is the family. Another package has a prefix of its own.
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
    """The folder the rule lives in: portability, data, models, transfers, meta; else the name of its entry point."""
    docs: str = ""
    """The address of the page of a rule from another package, where there is one."""
    package: str = ""
    """The distribution that brings the rule; empty for devlint's own."""

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
        """The stable address of the rule's page, which every output format links to; empty where there is none."""
        if self.docs or self.package:
            return self.docs
        return f"https://devlint.readthedocs.io/rules/{self.name}/"


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in the order of the codes: the built-in ones and those of other packages.

    Raises DevlintError when a package's rules cannot be loaded, or one claims a code or a name that is taken.
    """
    from devlint.third_party import rules_of_other_packages

    rules: dict[str, Rule] = {}
    names: dict[str, Rule] = {}
    for rule in [*_built_in(), *rules_of_other_packages()]:
        for word, known in ((rule.code, rules.get(rule.code)), (rule.name, names.get(rule.name))):
            if known is not None and known is not rule:
                raise DevlintError(_two_claims(word, known, rule))
        rules[rule.code] = names[rule.name] = rule
    return dict(sorted(rules.items()))


def rules_below(package: ModuleType) -> Iterator[tuple[Rule, str]]:
    """The rules in the modules of a package, and the name of the folder below it that each stands in.

    Raises what the import of a module raises.
    """
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=_raise):
        module = importlib.import_module(info.name)
        if not info.ispkg and isinstance(rule := getattr(module, "RULE", None), Rule):
            rule.page = module.__doc__ or ""
            inside = info.name.removeprefix(package.__name__ + ".")
            yield rule, inside.rpartition(".")[0].partition(".")[0]


def _built_in() -> Iterator[Rule]:
    for rule, folder in rules_below(importlib.import_module("devlint.rules")):
        rule.family = folder
        yield rule


def _two_claims(word: str, known: Rule, rule: Rule) -> str:
    if known.package == rule.package:
        return f"two rules of {rule.package or 'devlint'} claim `{word}`: rename one"
    return f"the rules of {rule.package} claim `{word}`, which {known.package or 'devlint'} has: uninstall one of them"


def _raise(name: str) -> None:
    importlib.import_module(name)  # fails again: `walk_packages` would pass over a folder that cannot be imported

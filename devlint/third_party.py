"""Rules of other packages, which name them under the entry-point group `devlint.rules`.

docs/writing-rules.md says how such a package looks.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from devlint.errors import DevlintError
from devlint.rule import Rule, rules_below

GROUP = "devlint.rules"
_CODE = re.compile(r"(?!ALL)[A-Z]{2,8}[0-9]{3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def rules_of_other_packages() -> Iterator[Rule]:
    """Every rule of an installed package; raises DevlintError, naming the package, when one cannot be used."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (_package(entry), entry.name)):
        for rule in _rules_of(entry):
            if wrong := _what_is_wrong(rule):
                raise DevlintError(f"{_place(entry)}: {wrong}")
            rule.package = _package(entry)
            rule.family = entry.name
            yield rule


def _rules_of(entry: EntryPoint) -> list[Rule]:
    try:
        loaded: object = entry.load()
        match loaded:
            case Rule():
                rules = [_with_page(loaded, sys.modules[entry.module])]
            case ModuleType():
                held = getattr(loaded, "RULE", None)
                rules = [_with_page(held, loaded)] if isinstance(held, Rule) else []
                rules += [rule for rule, _ in rules_below(loaded)] if hasattr(loaded, "__path__") else []
            case _:
                rules = []
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise DevlintError(f"{_place(entry)}: cannot be loaded: {what}; mend or uninstall it") from error
    if not rules:
        raise DevlintError(f"{_place(entry)}: holds no rule: name a Rule, a module with a `RULE`, or a package of such")
    return rules


def _with_page(rule: Rule, module: ModuleType) -> Rule:
    rule.page = rule.page or module.__doc__ or ""
    return rule


def _what_is_wrong(rule: Rule) -> str:
    if rule.code.startswith("DVL"):
        return f"the code `{rule.code}` is devlint's own: take another prefix, such as LAB{rule.code[3:]}"
    if not _CODE.fullmatch(rule.code):
        return f"the code `{rule.code}` is not one: write two to eight capitals (not ALL) and three digits"
    if not _NAME.fullmatch(rule.name):
        return f"the name `{rule.name}` of {rule.code} is not one: write small letters and digits with hyphens between"
    return ""


def _place(entry: EntryPoint) -> str:
    return f"the rule plugin {_package(entry)} ({entry.name} = {entry.value})"


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module

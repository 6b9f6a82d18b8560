"""What `devlint rule` and `devlint config` print."""

from __future__ import annotations

import json
from pathlib import Path

from devlint.errors import DevlintError
from devlint.options import OPTIONS, TABLES, unknown_key
from devlint.replacement import Replacement
from devlint.rule import Rule, all_rules
from devlint.selection import find_rule
from devlint.settings import SettingsFinder
from devlint.source.paths import shown


def explain_rules(word: str | None, *, as_json: bool) -> str:
    """The page of the rule called `word`, or of every rule; raises DevlintError when there is none."""
    try:
        rules = [find_rule(word)] if word else list(all_rules().values())
    except ValueError as error:
        raise DevlintError(str(error)) from error
    if as_json:
        rows = [_row(rule) for rule in rules]
        return json.dumps(rows[0] if word else rows, indent=2) + "\n"
    return "\n".join(_page(rule) for rule in rules)


def explain_settings(key: str | None) -> str:
    """Every setting in the current folder as TOML, or what one setting is for; raises DevlintError."""
    if key is not None and key not in OPTIONS:
        raise DevlintError(unknown_key(key))
    settings = SettingsFinder().of(Path.cwd())
    if key is not None:
        option = OPTIONS[key]
        current, default = _toml(getattr(settings, option.field)), _toml(option.default)
        return f"{key}: {option.help}\n\ndefault: {default}\nhere:    {current}\n"
    place = shown(settings.file) if settings.file else "none found"
    lines = [f"# configuration file: {place}"]
    for option in OPTIONS.values():
        value = getattr(settings, option.field)
        text = "{}" if value == () and option.key in TABLES else _toml(value)
        lines.append(f"# {option.key} is not set" if value is None else f"{option.key} = {text}")
    return "\n".join(lines) + "\n"


def _page(rule: Rule) -> str:
    default = "on by default" if rule.default else "off by default"
    home = f"{rule.package} {rule.since}" if rule.package else rule.since
    facts = f"{rule.severity.value}, {rule.family}, {default}, since {home}"
    link = f"{rule.url}\n" if rule.url else ""
    return f"{rule.code} {rule.name} ({facts})\n{link}\n{rule.page.strip()}\n"


def _row(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "severity": rule.severity.value,
        "family": rule.family,
        "default": rule.default,
        "since": rule.since,
        "package": rule.package or "devlint",
        "url": rule.url or None,
        "explanation": rule.page.strip(),
    }


def _toml_row(row: Replacement) -> str:
    parts = {"with": row.twin, "import": row.imports, "message": row.message}
    return "{ " + ", ".join(f"{key} = {_toml(text)}" for key, text in parts.items() if text) + " }"


def _toml(value: object) -> str:
    match value:
        case None:
            return "not set"
        case bool():
            return str(value).lower()
        case (int() as major, int() as minor):
            return f'"{major}.{minor}"'
        case tuple() if value and all(isinstance(item, Replacement) for item in value):
            return "{ " + ", ".join(f"{_toml(row.api)} = {_toml_row(row)}" for row in value) + " }"
        case tuple() if value and all(isinstance(item, tuple) for item in value):
            return "{ " + ", ".join(f"{_toml(key)} = {_toml(codes)}" for key, codes in value) + " }"
        case tuple():
            return "[" + ", ".join(_toml(item) for item in value) + "]"
        case _:
            return json.dumps(value)

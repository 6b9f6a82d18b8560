"""The table of settings: each key of the configuration, what it may hold, and what it is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from devlint.replacement import replacements
from devlint.selection import check_selector, did_you_mean
from devlint.source.discovery import DEFAULT_EXCLUDE

OUTPUT_FORMATS = ("full", "concise", "json", "github")
FAIL_ON = ("note", "warning", "error", "never")
DEVICE_STYLES = ("cuda", "accelerator")
OLDEST_TARGET = (2, 6)


@dataclass(frozen=True, slots=True)
class Option:
    """One key of the configuration.

    check: turns a value as TOML has it into that of `Settings`; raises ValueError saying what is expected.
    """

    key: str
    default: object
    check: Callable[[object], object]
    help: str

    @property
    def field(self) -> str:
        """The attribute of `Settings` that holds the value."""
        return self.key.replace("-", "_")


def unknown_key(key: str) -> str:
    """The sentence about a key that is no option."""
    return f"unknown key `{key}`{did_you_mean(key, OPTIONS)}"


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError("expected a list of strings")


def _selectors(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return tuple(check_selector(selector) for selector in _strings(value))


def _ignores_by_pattern(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise ValueError('expected a table such as { "tests/*" = ["DVL201"] }')
    return tuple((str(pattern), _selectors(selectors)) for pattern, selectors in value.items())


def _paths_by_rule(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise ValueError('expected a table such as { DVL108 = ["src/device.py"] }')
    return tuple((check_selector(str(rule)), _strings(paths)) for rule, paths in value.items())


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("expected true or false")


def _one_of(*words: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if isinstance(value, str) and value in words:
            return value
        hint = did_you_mean(value, words) if isinstance(value, str) else ""
        raise ValueError(f"expected one of {', '.join(words)}{hint}")

    return check


def _version(value: object) -> tuple[int, int]:
    if isinstance(value, str) and (match := re.fullmatch(r"(\d+)\.(\d+)(\.\d+)*", value.strip())):
        return int(match[1]), int(match[2])
    # 2.10 is the number 2.1, so that a number would be read as an older version.
    raise ValueError('expected a version in quotes, such as "2.6"')


def _expression(value: object) -> str:
    return _parsed(value, "eval", 'a Python expression, such as "runtime.device"')


def _import(value: object) -> str:
    text = _parsed(value, "exec", 'an import statement, such as "from project import runtime"')
    if not all(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.parse(text).body):
        raise ValueError('expected an import statement, such as "from project import runtime"')
    return text


def _parsed(value: object, mode: str, expected: str) -> str:
    try:
        if isinstance(value, str) and value.strip():
            compile(value.strip(), "<configuration>", mode, ast.PyCF_ONLY_AST)
            return value.strip()
    except (SyntaxError, ValueError):
        pass
    raise ValueError(f"expected {expected}")


def _path(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("expected a path")


_ROWS = (
    Option("extend", None, _path, "another configuration file that this one builds on"),
    Option("select", (), _selectors, "the rules that are on, by code, prefix, name or ALL"),
    Option("extend-select", (), _selectors, "rules that are on besides those of `select`"),
    Option("ignore", (), _selectors, "rules that are off"),
    Option("per-file-ignores", (), _ignores_by_pattern, "rules that are off in files that match a pattern"),
    Option("exclude", DEFAULT_EXCLUDE, _strings, "what is not checked: patterns like those of .gitignore"),
    Option("extend-exclude", (), _strings, "what is not checked besides `exclude`"),
    Option("force-exclude", False, _boolean, "exclude also files that are named on the command line"),
    Option("respect-gitignore", True, _boolean, "skip what git ignores"),
    Option("device-style", "cuda", _one_of(*DEVICE_STYLES), "what a fix's device line asks for"),
    Option("device-expression", None, _expression, "the project's own expression for its device"),
    Option("device-import", None, _import, "the import that `device-expression` needs"),
    Option("replace", (), replacements, "names of libraries that the project has a twin for"),
    Option("allow-paths", (), _paths_by_rule, "files that may do what a rule forbids, by rule"),
    Option("target-torch", None, _version, "the oldest torch to run on; unset: what the project requires"),
    Option("fail-on", "warning", _one_of(*FAIL_ON), "the mildest severity that makes the exit code 1"),
    Option("output-format", "full", _one_of(*OUTPUT_FORMATS), "how findings are printed"),
    Option("unsafe-fixes", False, _boolean, "let --fix apply unsafe fixes as well"),
)

TABLES = frozenset(["per-file-ignores", "replace", "allow-paths"])
"""Keys that hold a table."""

OPTIONS: dict[str, Option] = {option.key: option for option in _ROWS}
"""Every option by its key, in the order `devlint config` shows them."""

"""Configuration files: where they are, what TOML they hold, and what they build on."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from devlint.errors import DevlintError
from devlint.options import OPTIONS, unknown_key
from devlint.source.paths import shown

OWN_FILES = ("devlint.toml", ".devlint.toml")
GROWING = ("extend-select", "extend-exclude", "per-file-ignores")
"""Keys that add to those of the file a configuration extends; the others replace them."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The checked values of a configuration file and of those it extends; keys not set are absent."""

    file: Path
    values: Mapping[str, object]


def configuration_in(folder: Path) -> Configuration | None:
    """The configuration that stands in this very folder; raises DevlintError when it is wrong."""
    # os.path.isfile: a folder that may not be entered holds no configuration, and discovery reports it.
    for name in OWN_FILES:
        if os.path.isfile(file := folder / name):
            return read_configuration(file)
    file = folder / "pyproject.toml"
    # Another tool's broken pyproject.toml is not ours to report.
    if os.path.isfile(file) and b"devlint" in _bytes(file) and _table(file) is not None:
        return read_configuration(file)
    return None


def read_configuration(file: Path, seen: tuple[Path, ...] = ()) -> Configuration:
    """Read a configuration file and what it extends; raises DevlintError."""
    if (real := file.resolve()) in seen:
        raise DevlintError(f"{shown(file)}: `extend` leads back to a file that extends it")
    own = checked(_table(file) or {}, _place(file))
    if not isinstance(parent := own.get("extend"), str):
        return Configuration(file, own)
    target = file.parent / Path(parent).expanduser()
    if not target.is_file():
        raise DevlintError(f"{_place(file)}: `extend`: no such file: {parent}")
    return Configuration(file, merged(read_configuration(target, (*seen, real)).values, own))


def merged(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """The values of `above` over those of `below`."""
    values = {**below, **above}
    for key in GROWING:
        match below.get(key), above.get(key):
            case (tuple() as first, tuple() as second):
                values[key] = first + second
    return values


def checked(table: Mapping[str, object], place: str) -> dict[str, object]:
    """The table with each value as `Settings` has it; raises DevlintError naming the place and the key."""
    values: dict[str, object] = {}
    for key, value in table.items():
        if (option := OPTIONS.get(key)) is None:
            raise DevlintError(f"{place}: {unknown_key(key)}")
        try:
            values[key] = option.check(value)
        except ValueError as error:
            raise DevlintError(f"{place}: `{key}`: {error}") from error
    return values


def assignment(text: str) -> dict[str, object]:
    """The table that `--config KEY=VALUE` stands for; a value that is no TOML is taken as a string."""
    key, _, value = text.partition("=")
    try:
        return tomllib.loads(f"{key.strip()} = {value}")
    except tomllib.TOMLDecodeError:
        return {key.strip(): value.strip()}


def required_torch(folder: Path) -> tuple[int, int] | None:
    """The oldest torch that the project around `folder` requires, from the nearest pyproject.toml."""
    for parent in (folder, *folder.parents):
        if not (file := parent / "pyproject.toml").is_file():
            continue
        try:
            project = tomllib.loads(_bytes(file).decode()).get("project", {})
        except ValueError:
            return None
        lines = project.get("dependencies", []) if isinstance(project, dict) else []
        bounds = [bound for line in lines if isinstance(line, str) and (bound := _lower_bound(line))]
        return min(bounds, default=None)
    return None


def _lower_bound(requirement: str) -> tuple[int, int] | None:
    match = re.match(r"\s*torch\s*(?:\[[^\]]*\])?\s*(?P<versions>[^;@]*)", requirement)
    if match is None or re.match(r"[\w.-]", match["versions"]):
        return None
    found = re.search(r"(?:>=|==|~=|>)\s*(\d+)(?:\.(\d+))?", match["versions"])
    return (int(found[1]), int(found[2] or 0)) if found else None


def _table(file: Path) -> Mapping[str, object] | None:
    try:
        table: object = tomllib.loads(_bytes(file).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DevlintError(f"{shown(file)}: invalid TOML: not UTF-8 (at byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise DevlintError(f"{shown(file)}: invalid TOML: {error}") from error
    keys = ("tool", "devlint") if file.name == "pyproject.toml" else ()
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return None
        table = table[key]
    if not isinstance(table, dict):
        raise DevlintError(f"{shown(file)}: [tool.devlint] is no table")
    return table


def _place(file: Path) -> str:
    return f"{shown(file)}: [tool.devlint]" if file.name == "pyproject.toml" else shown(file)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise DevlintError(f"{shown(file)}: cannot be read: {error.strerror}") from error

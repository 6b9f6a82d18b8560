"""The settings of a run: the command line over the nearest configuration file over the defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pathspec import GitIgnoreSpec

from devlint.configuration import (
    Configuration,
    assignment,
    checked,
    configuration_in,
    merged,
    read_configuration,
    required_torch,
)
from devlint.errors import DevlintError
from devlint.options import OLDEST_TARGET
from devlint.replacement import Replacement
from devlint.selection import codes_of, enabled_codes
from devlint.source.discovery import DEFAULT_EXCLUDE, Filter

Patterns = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Settings:
    """What holds for the files of a folder. `devlint.options.OPTIONS` says what each field is for.

    root: the folder that patterns are relative to: the configuration file's, else the project's.
    file: the configuration file, None where there is none.
    """

    root: Path
    file: Path | None = None
    extend: str | None = None
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Patterns = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    device_style: str = "cuda"
    device_expression: str | None = None
    device_import: str | None = None
    target_torch: tuple[int, int] = OLDEST_TARGET
    replace: tuple[Replacement, ...] = ()
    allow_paths: Patterns = ()
    fail_on: str = "warning"
    output_format: str = "full"
    unsafe_fixes: bool = False

    @cached_property
    def _enabled(self) -> frozenset[str]:
        return enabled_codes(self.select, self.extend_select, self.ignore)

    @cached_property
    def _ignores(self) -> list[tuple[GitIgnoreSpec, frozenset[str]]]:
        by_file = [(GitIgnoreSpec.from_lines([p]), codes_of(codes)) for p, codes in self.per_file_ignores]
        by_rule = [(GitIgnoreSpec.from_lines(paths), codes_of([rule])) for rule, paths in self.allow_paths]
        return by_file + by_rule

    def enabled(self, path: Path) -> frozenset[str]:
        """The codes of the rules that are on in this file."""
        relative = os.path.relpath(path, self.root)
        off = (codes for spec, codes in self._ignores if spec.match_file(relative))
        return self._enabled.difference(*off)

    @cached_property
    def filter(self) -> Filter:
        """What is left out when files are looked for."""
        exclude = (*self.exclude, *self.extend_exclude)
        return Filter(self.root, exclude, self.force_exclude, self.respect_gitignore)


FIRST_ACCELERATOR = (2, 6)
"""The first torch with `torch.accelerator`; https://docs.pytorch.org/docs/stable/accelerator.html."""


@dataclass
class SettingsFinder:
    """The settings of any folder.

    options: what the command line sets, by key; it goes over every configuration file.
    file: use this configuration everywhere.
    isolated: look for no configuration.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    file: Path | None = None
    isolated: bool = False
    _known: dict[Path, Settings] = field(default_factory=dict)
    _by_root: dict[Path, Settings] = field(default_factory=dict)
    _nearest: dict[Path, Configuration | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.file is not None and not self.file.is_file():
            raise DevlintError(f"--config: no such file: {self.file}")
        self._explicit = read_configuration(self.file.absolute()) if self.file else None

    def of(self, folder: Path) -> Settings:
        """The settings for the files of `folder`, an absolute path; raises DevlintError."""
        if folder not in self._known:
            self._known[folder] = self._settle(folder)
        return self._known[folder]

    def _settle(self, folder: Path) -> Settings:
        configuration = self._explicit
        if configuration is None and not self.isolated:
            configuration = self._look_up(folder)
        root = configuration.file.parent if configuration else _project_root(folder)
        if root not in self._by_root:
            self._by_root[root] = self._combine(configuration, root)
        return self._by_root[root]

    def _combine(self, configuration: Configuration | None, root: Path) -> Settings:
        values = with_options(configuration.values if configuration else {}, self.options)
        fields: dict[str, Any] = {key.replace("-", "_"): value for key, value in values.items()}
        if "target_torch" not in fields and not self.isolated:
            fields["target_torch"] = required_torch(root) or OLDEST_TARGET
        file = configuration.file if configuration else None
        settings = Settings(root, file, **fields)
        _agreeing(settings)
        return settings

    def _look_up(self, folder: Path) -> Configuration | None:
        if folder not in self._nearest:
            found = configuration_in(folder)
            if found is None and folder.parent != folder:
                found = self._look_up(folder.parent)
            self._nearest[folder] = found
        return self._nearest[folder]


def _agreeing(settings: Settings) -> None:
    """Raise DevlintError where two settings contradict each other, so that fixes could not run."""
    if settings.device_style == "accelerator" and settings.target_torch < FIRST_ACCELERATOR:
        wanted = ".".join(map(str, settings.target_torch))
        raise DevlintError(
            f"device-style `accelerator` needs torch 2.6, and target-torch is {wanted}: "
            'raise `target-torch`, or choose `device-style = "cuda"`'
        )
    root = (settings.device_expression or "torch").strip().partition(".")[0].partition("(")[0]
    if root != "torch" and settings.device_import is None:
        raise DevlintError(
            f"device-expression uses `{root}`, which fixes could not import: "
            f'set `device-import`, such as "import {root}"'
        )


def options_from(given: Mapping[str, object], assignments: list[str]) -> dict[str, object]:
    """The checked options of the command line: those given by name, over those of `--config KEY=VALUE`."""
    options: dict[str, object] = {}
    for text in assignments:
        options |= checked(assignment(text), f"--config {text}")
    for key, value in given.items():
        if value is not None and value != ():
            try:
                options |= checked({key: value}, f"--{key}")
            except DevlintError as error:
                raise DevlintError(str(error).replace(f"--{key}: `{key}`", f"--{key}")) from error
    return options


def with_options(values: Mapping[str, object], options: Mapping[str, object]) -> dict[str, object]:
    """Options over the values of a file: a `--select` starts anew, `--ignore` adds to the file's."""
    below = dict(values)
    if "select" in options:
        for key in ("extend-select", "ignore"):
            below.pop(key, None)
    result = merged(below, options)
    chosen = options.get("extend-select", ())
    file_ignores, ignores = below.get("ignore", ()), options.get("ignore", ())
    if isinstance(file_ignores, tuple) and isinstance(ignores, tuple) and isinstance(chosen, tuple):
        result["ignore"] = (*(word for word in file_ignores if word not in chosen), *ignores)
    return result


def _project_root(folder: Path) -> Path:
    for parent in (folder, *folder.parents):
        if os.path.exists(parent / "pyproject.toml") or os.path.exists(parent / ".git"):
            return parent
    here = Path.cwd()
    return here if here in (folder, *folder.parents) else folder

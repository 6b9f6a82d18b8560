"""Which files a run looks at: Python files below the given paths that are neither ignored nor excluded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pathspec import GitIgnoreSpec

from devlint.errors import DevlintError

SUFFIXES = (".py", ".pyi")
NOTEBOOK = ".ipynb"
"""Hooks name notebooks as well; devlint does not read them yet."""

DEFAULT_EXCLUDE = (
    ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pyenv", ".pytest_cache",
    ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "__pypackages__", "_build", "buck-out",
    "build", "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip


@dataclass(frozen=True)
class Filter:
    """What is left out: patterns as in `.gitignore`, relative to `root`.

    Patterns never look at folders above `root`: a checkout below a folder named `build` is checked.
    force: leave out also files that were named on the command line (hooks name every file).
    """

    root: Path
    exclude: Sequence[str] = DEFAULT_EXCLUDE
    force: bool = False
    respect_gitignore: bool = True

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(self.exclude)

    def leaves_out(self, path: Path, *, folder: bool, below: Path | None = None) -> bool:
        """Whether the patterns match `path` itself; a walk asks for every folder on its way.

        below: a folder that was asked for though the patterns match it: they are matched from there on.
        """
        relative = os.path.relpath(path, below or self.root)
        if relative == "." or relative.startswith(".."):
            return False
        return self._spec.match_file(relative + "/" if folder else relative)

    def leaves_out_with_parents(self, path: Path) -> bool:
        """Whether the patterns match `path` or a folder above it, up to `root`."""
        folders = (parent for parent in path.parents if self.root in parent.parents)
        return self.leaves_out(path, folder=False) or any(self.leaves_out(f, folder=True) for f in folders)


def discover(paths: Iterable[Path], filter_of: Callable[[Path], Filter]) -> list[Path]:
    """The files to check, as absolute paths, sorted, each file once however it is reached.

    filter_of: the filter that holds in a folder.
    Raises DevlintError for a path that does not exist.
    """
    walk = _Walk(filter_of)
    for path in paths:
        walk.add(path)
    return sorted(walk.found.values())


@dataclass
class _Walk:
    filter_of: Callable[[Path], Filter]
    found: dict[str, Path] = field(default_factory=dict)
    folders_seen: set[str] = field(default_factory=set)
    ignores: _GitIgnores = field(default_factory=lambda: _GitIgnores())

    def add(self, path: Path) -> None:
        absolute = Path(os.path.abspath(path))
        if absolute.is_dir():
            if not self._forced_out(absolute / "__init__.py"):
                named = self.filter_of(absolute).leaves_out_with_parents(absolute / "__init__.py")
                self._walk(absolute, absolute if named else None)
        elif not absolute.exists():
            raise DevlintError(f"{path}: no such file or folder")
        elif not absolute.is_file():
            raise DevlintError(f"{path}: neither a file nor a folder")
        elif absolute.suffix != NOTEBOOK and not self._forced_out(absolute):
            self._keep(absolute)

    def _forced_out(self, path: Path) -> bool:
        rules = self.filter_of(path.parent)
        return rules.force and rules.leaves_out_with_parents(path)

    def _keep(self, path: Path) -> None:
        real = os.path.realpath(path)
        # A file reached by its own name and by a link is shown under its own name.
        if real not in self.found or str(path) == real:
            self.found[real] = path

    def _walk(self, start: Path, below: Path | None) -> None:
        pending = [start]
        while pending:
            folder = pending.pop()
            real = os.path.realpath(folder)
            if real in self.folders_seen:
                continue
            self.folders_seen.add(real)
            rules = self.filter_of(folder)
            for entry, is_folder in _entries(folder):
                if not is_folder and not entry.name.endswith(SUFFIXES):
                    continue
                if rules.leaves_out(entry, folder=is_folder, below=below):
                    continue
                if rules.respect_gitignore and self.ignores.ignore(entry, folder=is_folder):
                    continue
                if is_folder:
                    pending.append(entry)
                else:
                    self._keep(entry)


def _entries(folder: Path) -> Iterator[tuple[Path, bool]]:
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise DevlintError(f"{folder}: cannot be read: {error.strerror}") from error
    for entry in listed:
        try:
            if entry.is_dir():
                yield Path(entry.path), True
            elif entry.is_file():
                yield Path(entry.path), False
        except OSError:
            continue  # a link that leads round in a circle, or to nowhere


class _GitIgnores:
    """The `.gitignore` files of the repository that a path is in, read when they are first needed."""

    def __init__(self) -> None:
        self._specs: dict[Path, GitIgnoreSpec | None] = {}
        self._roots: dict[Path, Path | None] = {}

    def ignore(self, path: Path, *, folder: bool) -> bool:
        """Whether git ignores `path`, given that it does not ignore the folder it is in."""
        root = self._root(path.parent)
        if root is None:
            return False
        for base, spec in self._specs_for(path.parent, root):
            relative = path.relative_to(base).as_posix() + ("/" if folder else "")
            if (verdict := spec.check_file(relative).include) is not None:
                return verdict
        return False

    def _specs_for(self, folder: Path, root: Path) -> Iterator[tuple[Path, GitIgnoreSpec]]:
        base = folder
        while True:
            if (spec := self._read(base / ".gitignore")) is not None:
                yield base, spec
            if base == root:
                break
            base = base.parent
        if (spec := self._read(root / ".git" / "info" / "exclude")) is not None:
            yield root, spec

    def _read(self, file: Path) -> GitIgnoreSpec | None:
        if file not in self._specs:
            try:
                lines = file.read_text("utf-8", errors="replace").splitlines()
                self._specs[file] = GitIgnoreSpec.from_lines(lines)
            except (OSError, ValueError):
                self._specs[file] = None
        return self._specs[file]

    def _root(self, folder: Path) -> Path | None:
        if folder not in self._roots:
            if (folder / ".git").exists():
                self._roots[folder] = folder
            else:
                self._roots[folder] = self._root(folder.parent) if folder.parent != folder else None
        return self._roots[folder]

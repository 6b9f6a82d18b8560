"""A program to run, as `python SCRIPT`, `python -m MODULE` or `python -c TEXT` would run it."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import linecache
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from devlint.errors import DevlintError

FixedText = Callable[[Path], str]
"""The text that `devlint check --fix` would write for a file."""


@dataclass(frozen=True)
class Program:
    """`target` is a path, or the name of a module where `is_module`."""

    target: str
    args: tuple[str, ...] = ()
    is_module: bool = False

    def run(self, fixed: FixedText | None = None) -> None:
        """Run to the end as `__main__`; whatever the program raises comes out."""
        if self.is_module:
            with _as_python_would(["-m", *self.args], Path.cwd()), _fixed_imports(fixed, Path.cwd()):
                runpy.run_module(self.target, run_name="__main__", alter_sys=True)
            return
        path = Path(self.target)
        if not path.is_file():
            raise DevlintError(f"no such program: {path}")
        folder = path.resolve().parent
        with _as_python_would([str(path), *self.args], folder), _fixed_imports(fixed, folder):
            _run_script(path, fixed)


def _run_script(path: Path, fixed: FixedText | None) -> None:
    text = fixed(path) if fixed else importlib.util.decode_source(path.read_bytes())
    if fixed:
        _remember_lines(str(path), text)
    code = compile(text, str(path), "exec", dont_inherit=True)
    main = ModuleType("__main__")
    main.__dict__.update(__file__=str(path), __builtins__=builtins, __cached__=None)
    before = sys.modules["__main__"]
    sys.modules["__main__"] = main
    try:
        exec(code, main.__dict__)
    finally:
        sys.modules["__main__"] = before


@contextmanager
def _as_python_would(argv: Sequence[str], folder: Path) -> Iterator[None]:
    """`sys.argv` and `sys.path[0]` as Python sets them; the working directory stays."""
    argv_before, path_before = sys.argv, list(sys.path)
    sys.argv = list(argv)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv_before, path_before


@contextmanager
def _fixed_imports(fixed: FixedText | None, folder: Path) -> Iterator[None]:
    """Modules that lie beside the program are imported with their fixed text."""
    if fixed is None:
        yield
        return
    finder = _FixedFinder(fixed, folder)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _FixedFinder(MetaPathFinder):
    def __init__(self, fixed: FixedText, folder: Path) -> None:
        self.fixed, self.folder = fixed, folder

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            return None
        if not Path(spec.origin).resolve().is_relative_to(self.folder):
            return None
        spec.loader = _FixedLoader(name, spec.origin, self.fixed)
        return spec


class _FixedLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, fixed: FixedText) -> None:
        super().__init__(name, path)
        self.fixed = fixed

    def get_code(self, name: str) -> Any:
        text = self.fixed(Path(self.path))
        _remember_lines(self.path, text)
        return compile(text, self.path, "exec", dont_inherit=True)


def _remember_lines(filename: str, text: str) -> None:
    """Tracebacks show the text that ran, not the file."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)


def fixed_text_of_check() -> FixedText:
    """The hook of the static half."""
    try:
        from devlint.check import fixed_text  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise DevlintError("--fixed needs devlint.check.fixed_text, which this installation lacks") from error
    return fixed_text  # type: ignore[no-any-return, unused-ignore]

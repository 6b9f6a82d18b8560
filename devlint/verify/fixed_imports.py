"""Running a program from texts that are not on disk: the script and its sibling files, as a fix would
write them.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

Texts = Callable[[Path], "str | None"]
"""The text to use for a file instead of what is on disk; None for the file itself."""


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile_text(self.text, self.path)

    def get_source(self, fullname: str) -> str:
        return self.text


class _Finder(MetaPathFinder):
    def __init__(self, folder: Path, texts: Texts) -> None:
        self.folder, self.texts = folder, texts

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            return None
        origin = Path(spec.origin).resolve()
        if not origin.is_relative_to(self.folder) or (text := self.texts(origin)) is None:
            return None
        spec.loader = _Loader(name, spec.origin, text)
        return spec


def compile_text(text: str, path: str) -> CodeType:
    """Code of a text that stands for a file; tracebacks show the text's own lines."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    return compile(text, path, "exec", dont_inherit=True)


@contextmanager
def replaced_texts(folder: Path, texts: Texts | None) -> Iterator[None]:
    """Imports of files below the folder take their text from `texts`."""
    if texts is None:
        yield
        return
    finder = _Finder(folder.resolve(), texts)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def fixed_texts(unsafe: bool = False) -> Texts:
    """The texts that `devlint check --fix` would write."""
    from devlint.check import fixed_text

    def text(path: Path) -> str | None:
        fixed: str = fixed_text(path, unsafe=unsafe)
        return fixed

    return text

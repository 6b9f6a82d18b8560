"""The project under check: its files, parsed when they are needed, and what names its imports bind."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import libcst as cst

from devlint.analysis.parsed import ParsedFile, Text, deep_recursion
from devlint.analysis.syntax import descendants, dotted, statements_of
from devlint.analysis.top_level import STAR
from devlint.analysis.values import UNKNOWN_VALUE, External, Imported, Lazy, Value

if TYPE_CHECKING:
    from devlint.analysis.flow_view import FlowView
    from devlint.analysis.interpreter import Interpreter

PARSED_FILES_KEPT = 160
FOREIGN_FILES_PER_RUN = 12
"""Other files of the project that one checked file may pull in."""
_NEVER_OURS = frozenset(["torch", "numpy", "torchvision", "typing", "os", "sys", "math", "collections", "functools"])


class Covering(Protocol):
    """Says which names of libraries are watched; `devlint.replacement.Replacement` is one."""

    def covers(self, name: str) -> bool: ...


class Project:
    """All files below `root`, as far as they are looked at. One per run of devlint."""

    def __init__(
        self, root: Path, read: Callable[[Path], Text] | None = None, watched: Sequence[Covering] = ()
    ) -> None:
        self.root = root.resolve()
        self.watched = watched
        """Names of libraries whose uses are to be noted."""
        self._read = read or _read_source
        self._parsed: OrderedDict[Path, ParsedFile] = OrderedDict()
        self._where: dict[tuple[Path, str], Path | None] = {}
        self._attributes: dict[Path, frozenset[str]] = {}

    def facts(self, source: Text) -> Mapping[Path, Sequence[object]]:
        """What happens in this file, and in the files that it calls into, by file.

        Raises `libcst.ParserSyntaxError` when the file is not Python.
        """
        from devlint.analysis.diagnosis import facts_from
        from devlint.analysis.interpreter import Interpreter

        with deep_recursion():
            run = Interpreter(self, self.parse(source))
            run.run()
            return facts_from(run)

    def look_at(self, source: Text, view: FlowView) -> None:
        """Run a file as `facts` does, while `view` looks on."""
        from devlint.analysis.interpreter import Interpreter

        with deep_recursion():
            run = Interpreter(self, self.parse(source))
            run.view = view
            run.run()

    def parse(self, source: Text) -> ParsedFile:
        """The parsed form of a source; kept while it is among the last used."""
        known = self._parsed.get(source.path)
        if known is not None and known.source.text == source.text:
            self._parsed.move_to_end(source.path)
            return known
        parsed = self._parsed[source.path] = ParsedFile(source, self.root)
        self._attributes.pop(source.path, None)
        while len(self._parsed) > PARSED_FILES_KEPT:
            self._parsed.popitem(last=False)
        return parsed

    def parsed(self, path: Path) -> ParsedFile:
        """The parsed form of a file of the project."""
        if (known := self._parsed.get(path)) is not None:
            return known
        return self.parse(self._read(path))

    def source(self, path: Path) -> Text:
        return self.parsed(path).source

    # -- imports ------------------------------------------------------------------------------------------------

    def imported(self, run: Interpreter, name: str) -> Value:
        """What `import name` binds."""
        path = self._find(run.frame.file.path, name)
        return Lazy(path, "") if path is not None else External(name)

    def imported_name(self, run: Interpreter, module: str, name: str) -> Value:
        """What `from module import name` binds."""
        here = run.frame.file.path
        if (inner := self._find(here, f"{module}.{name}" if module.strip(".") else f"{module}{name}")) is not None:
            return Lazy(inner, "")
        path = self._find(here, module)
        if path is not None:
            return Lazy(path, name)
        return External(f"{module}.{name}") if not module.startswith(".") else UNKNOWN_VALUE

    def star(self, run: Interpreter, module: str) -> dict[str, Value]:
        """What `from module import *` binds, where the module is in the project."""
        path = self._find(run.frame.file.path, module)
        if path is None or (file := self._foreign(run, path)) is None:
            return {}
        frame = run.run_module(file)
        run.global_of(frame, STAR)
        names = (*frame.env, *file.top_level.by_name)
        return {name: Lazy(path, name) for name in names if not name.startswith("_") and name != STAR}

    def resolve(self, run: Interpreter, lazy: Lazy) -> Value:
        """The value that an import stands for; Unknown past the bound on foreign files."""
        key = (lazy.path, lazy.name)
        file = self._foreign(run, lazy.path)
        if file is None or key in run.resolving:
            return UNKNOWN_VALUE
        if not lazy.name:
            return Imported(file)
        run.resolving.add(key)
        try:
            return self.attribute(run, file, lazy.name)
        finally:
            run.resolving.discard(key)

    def attribute(self, run: Interpreter, file: ParsedFile, name: str) -> Value:
        """`module.name` of a module of the project."""
        value = run.global_of(run.run_module(file), name)
        if value is None:
            path = self._find(file.path, f".{name}") if file.path.name == "__init__.py" else None
            value = Lazy(path, "") if path is not None else UNKNOWN_VALUE
        return self.resolve(run, value) if isinstance(value, Lazy) else value

    def _foreign(self, run: Interpreter, path: Path) -> ParsedFile | None:
        if (known := run.files.get(path)) is not None:
            return known
        if len(run.modules) > FOREIGN_FILES_PER_RUN or run.exhausted:
            return None
        try:
            return self.parsed(path)
        except (OSError, ValueError, cst.ParserSyntaxError):
            return None

    def _find(self, here: Path, module: str) -> Path | None:
        """The file of a module, as imported by the file `here`."""
        key = (here.parent, module)
        if key not in self._where:
            self._where[key] = self._look_for(here, module)
        return self._where[key]

    def _look_for(self, here: Path, module: str) -> Path | None:
        name = module.lstrip(".")
        level = len(module) - len(name)
        if level:
            base = here.parent
            for _ in range(level - 1):
                base = base.parent
            return _module_file(base, name)
        if name.partition(".")[0] in _NEVER_OURS:
            return None
        base = here.parent
        while True:
            if (found := _module_file(base, name)) is not None and found != here:
                return found
            absolute = base.resolve()
            if absolute == self.root or self.root not in absolute.parents:
                return _module_file(base / "src", name)
            base = base.parent if base.parent != base else absolute.parent

    # -- what a file says about attributes ----------------------------------------------------------------------

    def moved_attributes(self, file: ParsedFile) -> frozenset[str]:
        """Attributes that are set outside `__init__`, or moved anywhere in the file."""
        if file.path not in self._attributes:
            self._attributes[file.path] = frozenset(_moved_attributes(file))
        return self._attributes[file.path]


def _moved_attributes(file: ParsedFile) -> set[str]:
    found = set(re.findall(r"\.(\w+)(?:\.module)?\.(?:to|cuda|cpu)\(", file.source.text))
    waiting: list[tuple[cst.CSTNode, bool]] = [(file.module, False)]
    while waiting:
        block, counts = waiting.pop()
        for statement in statements_of(block):
            if type(statement) is cst.FunctionDef:
                waiting.append((statement, counts or statement.name.value != "__init__"))
            elif type(statement) is cst.Assign and counts:
                for target in statement.targets:
                    found.update(
                        part.attr.value
                        for part in descendants(target.target)
                        if type(part) is cst.Attribute and dotted(part)
                    )
    return found


def _module_file(base: Path, name: str) -> Path | None:
    path = base.joinpath(*name.split(".")) if name else base
    for candidate in (path.with_name(path.name + ".py") if name else path / "__init__.py", path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _read_source(path: Path) -> Text:
    from devlint.source.text import Source

    return Source.read(path)

"""`[tool.devlint.replace]`: names of libraries for which a project has a twin of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+(\.\*)?")
_OF_ANYTHING = re.compile(r"\*\.[A-Za-z_]\w*")
_KEYS = frozenset({"with", "import", "message"})


@dataclass(frozen=True, slots=True)
class Replacement:
    """One line of the table.

    api: a dotted name, `torch.cuda.synchronize`; one that ends in `.*` covers everything below it, and `*.is_cuda` is
    the attribute or method of anything.
    twin: what the project uses instead; with `.*` the rest of the name is put behind it. Empty: no twin is known.
    imports: the import statement that the twin needs. message: why, in the project's own words.
    """

    api: str
    twin: str = ""
    imports: str = ""
    message: str = ""

    def covers(self, name: str) -> bool:
        if self.api.startswith("*."):
            return name.endswith(self.api[1:])
        return name == self.api or (self.api.endswith(".*") and name.startswith(self.api[:-1]))

    def twin_of(self, name: str) -> str:
        """The twin of a covered name."""
        if self.twin and self.api.endswith(".*"):
            return f"{self.twin.removesuffix('.*')}.{name.removeprefix(self.api[:-1])}"
        return self.twin


def replacement_of(name: str, table: Iterable[Replacement]) -> Replacement | None:
    """The line for a name: its own, else the longest that covers it, `*.name` last of all."""
    covering = (row for row in table if row.covers(name))
    return max(covering, key=lambda row: (row.api[0] != "*", len(row.api.removesuffix("*"))), default=None)


def replacements(value: object) -> tuple[Replacement, ...]:
    """The table as the configuration has it; raises ValueError saying what is expected."""
    if not isinstance(value, Mapping):
        raise ValueError('expected a table such as { "torch.cuda.synchronize" = "platform.synchronize" }')
    return tuple(_replacement(str(api), row) for api, row in value.items())


def _replacement(api: str, row: object) -> Replacement:
    anything = _OF_ANYTHING.fullmatch(api)
    if not anything and not _DOTTED.fullmatch(api):
        names = '"torch.cuda.synchronize", "torch.cuda.*" or "*.is_cuda"'
        raise ValueError(f"`{api}`: expected a dotted name such as {names}")
    if isinstance(row, str):
        row = {"with": row}
    if not isinstance(row, Mapping) or not all(isinstance(text, str) for text in row.values()):
        raise ValueError(f"`{api}`: expected the twin's name, or a table of `with`, `import` and `message`")
    if unknown := sorted(row.keys() - _KEYS):
        raise ValueError(f"`{api}`: unknown key `{unknown[0]}`; there are `with`, `import` and `message`")
    twin, imports = row.get("with", ""), row.get("import", "")
    if anything and (twin or imports):
        raise ValueError(
            f"`{api}`: what takes its place is not known for anything; write a `message` instead of a twin"
        )
    try:
        ast.parse(twin or "x", mode="eval")
    except SyntaxError as error:
        raise ValueError(f"`{api}`: `with`: not a Python expression: {twin}") from error
    try:
        statements = ast.parse(imports).body
    except SyntaxError as error:
        raise ValueError(f"`{api}`: `import`: not an import statement: {imports}") from error
    if not all(isinstance(statement, ast.Import | ast.ImportFrom) for statement in statements):
        raise ValueError(f"`{api}`: `import`: not an import statement: {imports}")
    return Replacement(api, twin, imports, row.get("message", ""))

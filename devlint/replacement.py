"""`[tool.devlint.replace]`: names of libraries for which a project has a twin of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+(\.\*)?")
_KEYS = frozenset({"with", "import", "message"})


@dataclass(frozen=True, slots=True)
class Replacement:
    """One line of the table.

    api: a dotted name, `torch.cuda.synchronize`; one that ends in `.*` covers everything below it.
    twin: what the project uses instead; with `.*` the rest of the name is put behind it. Empty: no twin is known.
    imports: the import statement that the twin needs. message: why, in the project's own words.
    """

    api: str
    twin: str = ""
    imports: str = ""
    message: str = ""

    def covers(self, name: str) -> bool:
        return name == self.api or (self.api.endswith(".*") and name.startswith(self.api[:-1]))

    def twin_of(self, name: str) -> str:
        """The twin of a covered name."""
        if self.twin and self.api.endswith(".*"):
            return f"{self.twin.removesuffix('.*')}.{name.removeprefix(self.api[:-1])}"
        return self.twin


def replacement_of(name: str, table: Iterable[Replacement]) -> Replacement | None:
    """The line for a name: its own, else the longest that covers it."""
    return max((row for row in table if row.covers(name)), key=lambda row: len(row.api.removesuffix("*")), default=None)


def replacements(value: object) -> tuple[Replacement, ...]:
    """The table as the configuration has it; raises ValueError saying what is expected."""
    if not isinstance(value, Mapping):
        raise ValueError('expected a table such as { "torch.cuda.synchronize" = "platform.synchronize" }')
    return tuple(_replacement(str(api), row) for api, row in value.items())


def _replacement(api: str, row: object) -> Replacement:
    if not _DOTTED.fullmatch(api):
        raise ValueError(f'`{api}`: expected a dotted name such as "torch.cuda.synchronize" or "torch.cuda.*"')
    if isinstance(row, str):
        row = {"with": row}
    if not isinstance(row, Mapping) or not all(isinstance(text, str) for text in row.values()):
        raise ValueError(f"`{api}`: expected the twin's name, or a table of `with`, `import` and `message`")
    if unknown := sorted(row.keys() - _KEYS):
        raise ValueError(f"`{api}`: unknown key `{unknown[0]}`; there are `with`, `import` and `message`")
    twin, imports = row.get("with", ""), row.get("import", "")
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

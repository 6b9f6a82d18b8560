"""What a rule reports: a place, a sentence, the story around it, and perhaps a fix."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Severity(Enum):
    """How bad a finding is; the order of the members is the order of severity, worst first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the worst: `a.rank <= b.rank` reads "a is at least as bad as b"."""
        return list(Severity).index(self)


class Applicability(Enum):
    """Who may apply a fix: `--fix` (safe), `--fix --unsafe-fixes` (unsafe), nobody (display)."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a file: character offsets into its decoded text (`Source.text`), end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Place:
    """A further place of a finding's story, in the same file or in another one."""

    path: Path
    span: Span
    message: str


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters `start:end` of `Source.text` by `text`; `start == end` inserts.

    `text` uses `\\n` for a line end; the file's own line end is put in when the edit is applied.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits of one file that belong together: all of them or none.

    Two fixes of a file may hold the same edit (both need the one `device = ...` line); it is applied once.
    """

    message: str
    edits: tuple[Edit, ...]
    applicability: Applicability = Applicability.SAFE


@dataclass(frozen=True, slots=True)
class Finding:
    """One device bug: where it is, what it is, and what to do about it."""

    code: str
    name: str
    message: str
    severity: Severity
    path: Path
    span: Span
    label: str = ""
    """A few words under the caret of the primary place ("these stay on the host")."""
    related: tuple[Place, ...] = ()
    consequence: str = ""
    """What a user sees when the program runs: torch's own error text, or "runs on the CPU"."""
    fix: Fix | None = None

"""What a rule is given besides a fact."""

from __future__ import annotations

from pathlib import Path

from devlint.analysis.project import Project
from devlint.settings import Settings


class Context:
    """One per file and run."""

    def __init__(self, path: Path, project: Project, settings: Settings) -> None:
        self.path = path
        self.project = project
        self.settings = settings

"""The pipeline of a run, top to bottom: files, sources, facts, rules, suppressions, proven fixes."""

from __future__ import annotations

import os
import re
import traceback
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress as passing_over
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.errors import DevlintError
from devlint.finding import Finding
from devlint.replacement import Replacement
from devlint.selection import codes_by_word
from devlint.settings import SettingsFinder
from devlint.source.discovery import discover
from devlint.source.paths import shown
from devlint.source.suppressions import (
    read_suppressions,
    suppress,
    suppressions_without_reason,
    unused_suppressions,
)
from devlint.source.syntax import SyntaxProblem, syntax_problem, undecodable
from devlint.source.text import Position, Source, SourceError
from devlint.workers import each

if TYPE_CHECKING:
    from devlint.analysis.project import Project
    from devlint.context import Context
    from devlint.rule import Rule

LARGEST_FILE = 2_000_000
"""Bytes; a larger file is generated code or data, and would take minutes to parse."""
_PROJECT_MARKS = ("devlint.toml", ".devlint.toml", "pyproject.toml", "setup.py", "setup.cfg", ".git")

Facts = Mapping[Path, Sequence[object]]


@dataclass
class Outcome:
    """What a run found out.

    sources: every checked file, and every other file that a finding speaks of.
    warnings: what a user should know though nothing failed.
    failures: files that could not be read and errors of devlint itself; they make the exit code 2.
    tracebacks: of devlint's own errors, for a report to its authors.
    """

    findings: list[Finding] = field(default_factory=list)
    sources: dict[Path, Source] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    def crashed(self, where: str, path: Path, error: Exception) -> None:
        """Note an error of devlint itself."""
        what = f"{type(error).__name__}: {error}".partition("\n")[0]
        self.failures.append(f"{shown(path)}: internal error in {where}: {what}")
        self.tracebacks.append("".join(traceback.format_exception(error)))


def files_to_check(paths: Iterable[Path], finder: SettingsFinder) -> list[Path]:
    """The Python files below `paths`, less what the settings exclude; raises DevlintError."""
    return discover(paths, lambda folder: finder.of(folder).filter)


def fixed_text(path: Path, unsafe: bool = False) -> str:
    """The text that `devlint check --fix` would write to `path`; raises DevlintError."""
    from devlint.fixes.passes import fix_until_stable

    absolute = Path(os.path.abspath(path))
    try:
        source = Source.read(absolute)
    except OSError as error:
        raise DevlintError(f"{path}: cannot be read: {error.strerror}") from error
    except SourceError as error:
        raise DevlintError(f"{path}: {error}") from error
    checker = Checker([absolute], SettingsFinder(), given={absolute: source.data})
    fixed = fix_until_stable(checker, unsafe=unsafe)
    if fixed.outcome.failures:
        raise DevlintError(fixed.outcome.failures[0])
    return fixed.changed.get(absolute, source).text


class Checker:
    """Checks a set of files, as often as it is asked to; their texts may be changed in between.

    files: absolute paths.
    given: bytes that stand for those on disk (standard input).
    step: called when a file is done.
    jobs: how many processes may share the work.
    """

    def __init__(
        self,
        files: Sequence[Path],
        finder: SettingsFinder,
        *,
        given: Mapping[Path, bytes] | None = None,
        step: Callable[[], None] = lambda: None,
        jobs: int = 1,
    ) -> None:
        self.files = files
        self.originals: dict[Path, Source] = {}
        """The files that may have findings, as read: those whose bytes hold the word torch."""
        self._finder = finder
        self._given = given or {}
        self._step = step
        self._jobs = jobs
        self._unreadable: dict[Path, SyntaxProblem] = {}
        self._reading: Outcome | None = None
        self._memory = _Memory()

    def check(self, changed: Mapping[Path, Source] | None = None) -> Outcome:
        """Run over all the files. changed: texts that stand for those on disk.

        From the second time on, only what a changed text can have a part in is analysed again.
        """
        read = self._reading = self._reading or self._read()
        outcome = Outcome(warnings=list(read.warnings), failures=list(read.failures))
        sources = {**self.originals, **(changed or {})}
        if sources:
            run = _Run(
                self._finder, sources, self._unreadable, _project(self.files, sources, self._watched(sources)), outcome
            )
            memory = self._memory
            memory.forget_what_changed(sources)
            found: dict[Path, dict[object, Finding]] = defaultdict(dict)
            new = [source for path, source in sources.items() if path not in memory.found]
            for source, analysed in zip(new, each(run.analysed, new, self._jobs), strict=True):
                memory.found[source.path] = run.take(analysed)
                self._step()
            for _ in range(len(sources) - len(new)):
                self._step()
            for path in sources:
                for finding in memory.found[path]:
                    found[finding.path].setdefault((finding.code, finding.span), finding)
            told = [(source, list(found[path].values())) for path, source in sources.items()]
            outcome.findings += memory.settled(run, told, self._jobs)
            outcome.findings.sort(key=lambda finding: (finding.path, finding.span, finding.code))
            run.add_related_sources()
        return outcome

    def _watched(self, paths: Iterable[Path]) -> tuple[Replacement, ...]:
        """Every line of a table of replacements that holds for one of the files."""
        folders = dict.fromkeys(path.parent for path in paths)
        return tuple(dict.fromkeys(row for folder in folders for row in self._finder.of(folder).replace))

    def _read(self) -> Outcome:
        outcome = Outcome()
        others: dict[Path, bytes] = {}
        for path in self.files:
            try:
                data = self._given[path] if path in self._given else path.read_bytes()
            except OSError as error:
                outcome.failures.append(f"{shown(path)}: cannot be read: {error.strerror}")
                data = b""
            if b"torch" in data and len(data) > LARGEST_FILE:
                size = f"{len(data) / 1e6:.1f} MB"
                outcome.warnings.append(f"{shown(path)}: skipped: {size}, devlint reads up to 2 MB")
            elif b"torch" in data or data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                self._keep(path, data)
                continue
            elif b"import" in data:
                others[path] = data
                continue
            self._step()
        starts = _import_of_any(self.originals)
        for path, data in others.items():
            if starts is not None and starts.search(data) and _may_be_a_script(path, data):
                self._keep(path, data)
            else:
                self._step()
        return outcome

    def _keep(self, path: Path, data: bytes) -> None:
        try:
            self.originals[path] = Source.from_bytes(path, data)
        except SourceError as error:
            self.originals[path], self._unreadable[path] = undecodable(path, data, error)


def _import_of_any(paths: Iterable[Path]) -> re.Pattern[bytes] | None:
    """What matches a line that may import one of the files, or something out of its package."""
    names = {name for path in paths for name in (_module_name(path), path.parent.name) if name.isidentifier()}
    if not names:
        return None
    any_of = "|".join(sorted(map(re.escape, names)))
    return re.compile(rf"^[ \t]*(?:from|import)\b[^\n]*\b(?:{any_of})\b".encode(), re.MULTILINE)


def _may_be_a_script(path: Path, data: bytes) -> bool:
    """Whether a file runs something itself: it may start the work of files that know torch, and not name it."""
    return b"__main__" in data or not path.with_name("__init__.py").exists()


@dataclass
class _Memory:
    """What the last run of a `Checker` found, by the file it was analysing, and what became of it."""

    sources: Mapping[Path, Source] = field(default_factory=dict)
    found: dict[Path, list[Finding]] = field(default_factory=dict)
    _settled: dict[Path, tuple[Source, list[Finding], list[Finding]]] = field(default_factory=dict)

    def forget_what_changed(self, sources: Mapping[Path, Source]) -> None:
        """Forget the changed files, and every file that may import one, directly or through others.

        A file can only import a module whose name it mentions.
        """
        stale = {path for path, source in sources.items() if self.sources.get(path) is not source}
        names = new = {_module_name(path) for path in stale}
        while self.found and new:
            mention = re.compile(rf"\b(?:{'|'.join(map(re.escape, new))})\b")
            touched = {path for path in sources.keys() - stale if mention.search(sources[path].text)}
            stale |= touched
            new = {_module_name(path) for path in touched} - names
            names |= new
        for path in stale:
            self.found.pop(path, None)
        self.sources = sources

    def settled(self, run: _Run, told: Sequence[tuple[Source, list[Finding]]], jobs: int) -> list[Finding]:
        """`run.settled` of each file, or what it came to when the same was found in the same text."""
        new = [
            (source, findings)
            for source, findings in told
            if (known := self._settled.get(source.path)) is None or known[0] is not source or known[1] != findings
        ]
        heavy = [(source, findings) for source, findings in new if any(finding.fix for finding in findings)]
        for (source, findings), result in zip(heavy, each(run.settled_apart, heavy, jobs), strict=True):
            self._settled[source.path] = (source, findings, run.take(result))
        for source, findings in new:
            if not any(finding.fix for finding in findings):
                self._settled[source.path] = (source, findings, run.settled(source, findings))
        return [finding for source, _ in told for finding in self._settled[source.path][2]]


@dataclass(frozen=True, slots=True)
class Analysed:
    """What was found in one file, and what went wrong."""

    findings: list[Finding]
    failures: list[str]
    tracebacks: list[str]
    crashed: set[Path]
    unparsed: set[Path]


def _module_name(path: Path) -> str:
    return path.parent.name if path.stem == "__init__" else path.stem


@dataclass
class _Run:
    """One analysis of a set of sources."""

    finder: SettingsFinder
    sources: Mapping[Path, Source]
    unreadable: Mapping[Path, SyntaxProblem]
    project: Project
    outcome: Outcome
    crashed: set[Path] = field(default_factory=set)
    unparsed: set[Path] = field(default_factory=set)
    proving: bool = False
    """Rules of placement are asked even where they are not selected: half of a move is worse than none."""

    def __post_init__(self) -> None:
        self.outcome.sources.update(self.sources)
        self.codes = codes_by_word()

    def analysed(self, source: Source) -> Analysed:
        """`findings`, with all that went wrong on the way: what another process can send back."""
        return self._apart(lambda run: run.findings(source))

    def settled_apart(self, told: tuple[Source, list[Finding]]) -> Analysed:
        """`settled`, with all that went wrong on the way."""
        return self._apart(lambda run: run.settled(*told))

    def _apart(self, work: Callable[[_Run], list[Finding]]) -> Analysed:
        run = replace(self, outcome=Outcome(), crashed=set(self.crashed), unparsed=set(self.unparsed))
        found = work(run)
        return Analysed(found, run.outcome.failures, run.outcome.tracebacks, run.crashed, run.unparsed)

    def take(self, analysed: Analysed) -> list[Finding]:
        """Note what went wrong, and return what was found."""
        self.outcome.failures += analysed.failures
        self.outcome.tracebacks += analysed.tracebacks
        self.crashed |= analysed.crashed
        self.unparsed |= analysed.unparsed
        return analysed.findings

    def findings(self, source: Source) -> list[Finding]:
        """What the rules make of the facts of a file, in any of the checked files."""
        found: list[Finding] = []
        for path, facts in self._facts(source).items():
            if path in self.sources or self.proving:
                found += self._apply_rules(path, facts)
        return found

    def settled(self, source: Source, findings: list[Finding]) -> list[Finding]:
        """The findings of a file less the suppressed ones, with those about comments, and fixes proven."""
        kept = self._unsuppressed(source, findings)
        if not any(finding.fix for finding in kept):
            return kept
        from devlint.fixes.apply import apply_fixes
        from devlint.fixes.prove import doubted, proven

        try:
            return proven(kept, source, self._recheck, Source.with_text, apply_fixes, lambda: self._hidden(source))
        except Exception as error:
            self.outcome.crashed("the check of the fixes", source.path, error)
            return [doubted(finding) for finding in kept]

    def add_related_sources(self) -> None:
        """Read the files that are not checked and yet part of a finding's story."""
        places = [place for finding in self.outcome.findings for place in finding.related]
        for path in {place.path for place in places} - self.outcome.sources.keys():
            with passing_over(OSError, SourceError):
                self.outcome.sources[path] = Source.read(path)

    def _facts(self, source: Source) -> Facts:
        from libcst import ParserSyntaxError

        if (problem := self.unreadable.get(source.path)) is not None:
            self.unparsed.add(source.path)
            return {source.path: [problem]}
        try:
            return self.project.facts(source)
        except ParserSyntaxError as error:
            self.unparsed.add(source.path)
            place = Position(error.editor_line, error.editor_column)
            return {source.path: [syntax_problem(source, error.message, place)]}
        except Exception as error:
            self.crashed.add(source.path)
            self.outcome.crashed("the analysis", source.path, error)
            return {}

    def _apply_rules(self, path: Path, facts: Sequence[object]) -> list[Finding]:
        from devlint.context import Context
        from devlint.rule import all_rules

        settings = self.finder.of(path.parent)
        context = Context(path, self.project, settings, facts)
        enabled = settings.enabled(path) | (_placement_codes() if self.proving else frozenset())
        rules = [rule for rule in all_rules().values() if rule.code in enabled and rule.checks]
        found = self._told_by(rules, facts, context)
        found = self._told_by(rules, facts, context) if context.planned_again(found) else found
        return [*found, *context.doubts()] if self.proving else found

    def _told_by(self, rules: Sequence[Rule], facts: Sequence[object], context: Context) -> list[Finding]:
        found: list[Finding] = []
        for rule in rules:
            try:
                for fact in facts:
                    for check in rule.checks.get(type(fact), ()):
                        found += check(fact, context)
            except Exception as error:
                self.crashed.add(context.path)
                owner = f" of {rule.package}" if rule.package else ""
                self.outcome.crashed(f"rule {rule.code}{owner}", context.path, error)
        return found

    def _unsuppressed(self, source: Source, findings: list[Finding]) -> list[Finding]:
        comments = [] if source.path in self.unparsed else read_suppressions(source)
        if not comments:
            return findings
        kept, used = suppress(source, findings, comments, self.codes)
        if source.path in self.crashed:
            return kept
        enabled = self.finder.of(source.path.parent).enabled(source.path)
        facts: list[object] = [
            *unused_suppressions(comments, used, self.codes, enabled),
            *suppressions_without_reason(comments, self.codes),
        ]
        about_comments, _ = suppress(source, self._apply_rules(source.path, facts), comments, self.codes)
        return kept + about_comments

    def _hidden(self, source: Source) -> list[Finding]:
        """What is found in a file, or by way of it in a file that is not checked, and nobody asked for."""
        return [finding for finding in self._recheck(source) if finding.fix is None]

    def _recheck(self, changed: Source) -> list[Finding]:
        """What is left to find in a file with another text, and in files that are not checked.

        Without a fix where nobody asked for the finding.
        """
        sources = {**self.sources, changed.path: changed}
        run = replace(self, sources=sources, outcome=Outcome(), crashed=set(), unparsed=set(), proving=True)
        found = {
            (finding.code, finding.path, finding.span): finding
            for finding in run.findings(changed)
            if finding.path == changed.path or finding.path not in self.sources
        }
        if run.outcome.failures:
            raise RuntimeError(run.outcome.failures[0])
        enabled = self.finder.of(changed.path.parent).enabled(changed.path)
        here = [finding for finding in found.values() if finding.path == changed.path and finding.code in enabled]
        asked = run._unsuppressed(changed, here)
        shown = {(finding.code, finding.path, finding.span) for finding in asked}
        return asked + [replace(finding, fix=None) for key, finding in found.items() if key not in shown]


@cache
def _placement_codes() -> frozenset[str]:
    from devlint.fixes.prove import PLACEMENT
    from devlint.rule import all_rules

    return frozenset(code for code, rule in all_rules().items() if code.startswith(PLACEMENT) and rule.default)


def _project(files: Sequence[Path], sources: Mapping[Path, Source], watched: Sequence[Replacement] = ()) -> Project:
    from devlint.analysis.project import Project

    return Project(project_root(files), _Reader(sources), watched)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Gives the text of a file of the project; a class, so that it can be sent to another process."""

    sources: Mapping[Path, Source]

    def __call__(self, path: Path) -> Source:
        return self.sources.get(path) or Source.read(path)


def project_root(files: Sequence[Path]) -> Path:
    """The project's folder: the nearest one above all files that looks like one."""
    common = Path(os.path.commonpath([file.parent for file in files]))
    for folder in (common, *common.parents):
        if any(os.path.exists(folder / mark) for mark in _PROJECT_MARKS):
            return folder
    return common

"""A run of `devlint check`: what was asked for, what is printed where, and the exit code."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from devlint.check import Checker, Outcome, files_to_check
from devlint.errors import DevlintError
from devlint.finding import Finding, Severity
from devlint.selection import ALWAYS_ON
from devlint.settings import Settings, SettingsFinder, options_from
from devlint.source.discovery import NOTEBOOK
from devlint.source.paths import shown
from devlint.workers import processors

if TYPE_CHECKING:
    from collections.abc import Callable

    from devlint.fixes.passes import Fixed
    from devlint.source.added_lines import AddedLines

FILES_FOR_A_BAR = 50


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `devlint check`; None and () mean "not given"."""

    paths: Sequence[str] = ()
    fix: bool = False
    unsafe_fixes: bool | None = None
    diff: bool = False
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    extend_select: Sequence[str] = ()
    output_format: str | None = None
    output_file: Path | None = None
    statistics: bool = False
    show_files: bool = False
    fail_on: str | None = None
    exit_zero: bool = False
    config: Sequence[str] = ()
    isolated: bool = False
    exclude: Sequence[str] = ()
    extend_exclude: Sequence[str] = ()
    force_exclude: bool | None = None
    respect_gitignore: bool | None = None
    target_torch: str | None = None
    device_style: str | None = None
    stdin_filename: Path | None = None
    color: str = "auto"
    jobs: int | None = None
    explain_flow: str | None = None
    diff_base: str | None = None
    quiet: bool = False
    verbose: bool = False


def run_check(request: Request) -> int:
    """Do what was asked and return the exit code; raises DevlintError."""
    started = time.perf_counter()
    if request.explain_flow is not None:
        from devlint.explain_flow import explain_flow

        return _print(explain_flow(request.explain_flow, _wants_color(request.color, sys.stdout)))
    added = _added_lines(request)
    finder = _finder(request)
    settings = finder.of(Path.cwd())
    given = _standard_input(request)
    paths = [Path(path) for path in request.paths or (".",)]
    files = _unless_excluded(list(given), finder) if given else files_to_check(paths, finder)
    say = _Voice(request.quiet, request.verbose)
    if request.show_files:
        return _print("".join(f"{shown(path)}\n" for path in files))
    if notebooks := sum(path.suffix == NOTEBOOK for path in paths):
        say.warning(f"notebooks are not checked yet: {notebooks} skipped")
    elif not files and not given:
        say.warning("no Python files found under the given paths")
    say.detail(f"{len(files)} files, settings from {settings.file or 'the defaults'}")
    with _progress(len(files), request) as step:
        checker = Checker(files, finder, given=given, step=step, jobs=request.jobs or processors())
        fixed = _fixed(checker, request, settings)
    if added is not None:
        kept = list(_on_added_lines(fixed.outcome, added))
        say.detail(f"{len(fixed.outcome.findings) - len(kept)} findings on lines that are not new")
        fixed.outcome.findings = kept
    code = _deliver(request, settings, checker, fixed, given, say)
    say.detail(f"done in {time.perf_counter() - started:.2f} s")
    return code


def _added_lines(request: Request) -> AddedLines | None:
    if request.diff_base is None:
        return None
    if request.fix or request.diff or "-" in request.paths:
        raise DevlintError("--diff-base says which findings are reported; leave out --fix, --diff and `-`")
    from devlint.source.added_lines import added_lines

    return added_lines(request.diff_base, Path.cwd())


def _on_added_lines(outcome: Outcome, added: AddedLines) -> Iterator[Finding]:
    """The findings of which a place is new; and of a file that cannot be read, where any line of it is."""
    for finding in outcome.findings:
        places = [(finding.path, finding.span), *((place.path, place.span) for place in finding.related)]
        for path, span in places:
            if (source := outcome.sources.get(path)) is None:
                continue
            rows = [source.position(offset).row for offset in (span.start, max(span.start, span.end - 1))]
            if added.hold(path, *rows):
                yield finding
                break
        else:
            if finding.code == ALWAYS_ON and added.touch(finding.path):
                yield finding


def _finder(request: Request) -> SettingsFinder:
    assignments = [text for text in request.config if "=" in text and not Path(text).exists()]
    files = [Path(text) for text in request.config if text not in assignments]
    if len(files) > 1:
        raise DevlintError("--config: one configuration file at most")
    given = {
        "select": _split(request.select),
        "ignore": _split(request.ignore),
        "extend-select": _split(request.extend_select),
        "exclude": tuple(request.exclude),
        "extend-exclude": tuple(request.extend_exclude),
        "force-exclude": request.force_exclude,
        "respect-gitignore": request.respect_gitignore,
        "target-torch": request.target_torch,
        "device-style": request.device_style,
        "output-format": request.output_format,
        "fail-on": request.fail_on,
        "unsafe-fixes": request.unsafe_fixes,
    }
    return SettingsFinder(options_from(given, assignments), files[0] if files else None, request.isolated)


def _split(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def _standard_input(request: Request) -> dict[Path, bytes]:
    if "-" not in request.paths:
        return {}
    if len(request.paths) > 1:
        raise DevlintError("`-` reads standard input; name no other paths beside it")
    path = Path(os.path.abspath(request.stdin_filename or "stdin.py"))
    return {path: sys.stdin.buffer.read()}


def _unless_excluded(files: list[Path], finder: SettingsFinder) -> list[Path]:
    filters = [(path, finder.of(path.parent).filter) for path in files]
    return [path for path, rules in filters if not (rules.force and rules.leaves_out_with_parents(path))]


def _fixed(checker: Checker, request: Request, settings: Settings) -> Fixed:
    from devlint.fixes.passes import Fixed, fix_until_stable

    if request.fix or request.diff:
        return fix_until_stable(checker, unsafe=settings.unsafe_fixes)
    return Fixed(checker.check())


def _deliver(
    request: Request,
    settings: Settings,
    checker: Checker,
    fixed: Fixed,
    given: dict[Path, bytes],
    say: _Voice,
) -> int:
    outcome = fixed.outcome
    if request.diff:
        from devlint.fixes.diff import unified_diff

        for path, source in sorted(fixed.changed.items()):
            _print_bytes(unified_diff(shown(path), checker.originals[path], source))
        fixes = f"{fixed.count} fix" if fixed.count == 1 else f"{fixed.count} fixes"
        say.note(f"Would apply {fixes}." if fixed.changed else "Nothing to fix.")
    elif request.fix and given:
        [(path, data)] = given.items()
        _print_bytes(fixed.changed[path].data if path in fixed.changed else data)
        sys.stderr.write(_report(request, settings, outcome, fixed.count, sys.stderr))
    else:
        if request.fix:
            _write(checker, fixed)
        _publish(request, settings, outcome, fixed.count)
    say.outcome(outcome)
    if outcome.failures:
        return 2
    if request.diff:
        return 1 if fixed.changed else 0
    return 0 if request.exit_zero else _verdict(outcome, settings.fail_on)


def _write(checker: Checker, fixed: Fixed) -> None:
    from devlint.fixes.write import write_fixed

    for path, source in sorted(fixed.changed.items()):
        try:
            write_fixed(checker.originals[path], source.data)
        except DevlintError as error:
            fixed.outcome.failures.append(str(error))
            del fixed.counts[path]


def _report(request: Request, settings: Settings, outcome: Outcome, count: int, stream: TextIO) -> str:
    from devlint.report.formats import Look, render

    color = _wants_color(request.color, stream) and request.output_file is None
    look = Look(color, settings.unsafe_fixes, not request.quiet, not outcome.failures, count)
    return render(settings.output_format, outcome.findings, outcome.sources, look, statistics=request.statistics)


def _publish(request: Request, settings: Settings, outcome: Outcome, count: int) -> None:
    text = _report(request, settings, outcome, count, sys.stdout)
    if request.output_file is None:
        _print(text)
    else:
        try:
            request.output_file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise DevlintError(f"--output-file: {request.output_file}: {error.strerror}") from error
    summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
    if settings.output_format == "github" and summary_file:
        from devlint.report.github import step_summary

        try:
            with open(summary_file, "a", encoding="utf-8") as file:
                file.write(step_summary(outcome.findings, outcome.sources))
        except OSError as error:
            outcome.warnings.append(f"the step summary cannot be written: {error.strerror}")


def _verdict(outcome: Outcome, fail_on: str) -> int:
    if fail_on == "never":
        return 0
    limit = Severity(fail_on).rank
    return int(any(finding.severity.rank <= limit for finding in outcome.findings))


def _wants_color(choice: str, stream: TextIO) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


@contextmanager
def _progress(total: int, request: Request) -> Iterator[Callable[[], None]]:
    """A bar on stderr while many files are checked, where a person may be watching."""
    if total <= FILES_FOR_A_BAR or request.quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Checking", total=total)
        yield lambda: bar.advance(task)


@dataclass(frozen=True, slots=True)
class _Voice:
    """What is said on stderr beside the report."""

    quiet: bool
    verbose: bool
    stream: TextIO = field(default_factory=lambda: sys.stderr)

    def note(self, text: str) -> None:
        if not self.quiet:
            print(text, file=self.stream)

    def warning(self, text: str) -> None:
        self.note(f"devlint: warning: {text}")

    def detail(self, text: str) -> None:
        if self.verbose:
            print(f"devlint: {text}", file=self.stream)

    def outcome(self, outcome: Outcome) -> None:
        for warning in outcome.warnings:
            self.warning(warning)
        for failure in outcome.failures:
            print(f"devlint: error: {failure}", file=self.stream)
        if outcome.tracebacks and self.verbose:
            print("\n".join(outcome.tracebacks), file=self.stream)
        elif outcome.tracebacks:
            advice = "please report internal errors, with what --verbose shows"
            print(f"devlint: {advice}", file=self.stream)


def _print(text: str) -> int:
    sys.stdout.write(text)
    sys.stdout.flush()
    return 0


def _print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

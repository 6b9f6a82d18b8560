"""Score devlint on the corpus of cases: recall by kind, precision, and correct programs with findings.

A folder `bad/<name>/` holds a program with device bugs (`bad.py`, sometimes with further files), the truth
about it (`case.toml`) and sometimes the repaired program (`good.py`); `clean/<name>/clean.py` is a correct
program that a naive checker would flag. Repaired programs count as clean ones.

An expected finding counts as found when devlint reports one whose code answers the expected kind, or a kind
named in `or` (`kinds.toml` maps kinds to codes), with its place or a related place within one line of the
expected line or of a line in `also`. An error or a warning away from every expected line is a false
positive, and so is every error and warning on a clean program. Notes are never false positives.

Every program is judged on a copy in a folder of its own, so that no case sees another one's files or answers.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forked import CHECKER, Job, Outcome, run_forked

REPOSITORY = Path(__file__).resolve().parent.parent
CORPUS = REPOSITORY / "tests" / "cases"
CHECK = ("check", "--isolated", "--output-format", "json", ".")
ENTRIES = frozenset({"bad.py", "good.py", "clean.py"})
LINE_TOLERANCE = 1
ABOUT_THE_CORPUS = """\
The corpus ([tests/cases](../tests/cases/README.md)) holds small programs with device bugs modelled on public
reports, their repaired forms, and correct programs that a naive checker would flag. An expected bug counts as
found when a finding of the right kind stands within one line of it. Errors and warnings where no bug is
expected count as false, on bad and on clean programs alike; notes do not. The rules were written with these
cases in sight, so the figures say what devlint covers, not how it does on code nobody has seen: for that, see
[the run on real projects](ecosystem.md).

On 2026-12-02 somebody who had not seen devlint wrote 57 faulty programs, each with its repaired form, and 46 correct
ones. At its first sight of them devlint found 58 of the 70 faults (82.9 %; the rules for five of the rest were being
written); 61 of its 66 errors and warnings were right (92.4 %), and it flagged 4 of the 103 correct and repaired
programs. What it got wrong was mended as kinds, and the programs are part of the corpus since."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A finding that a bad program must get: the kinds that answer it, and the lines where it may stand."""

    kind: str
    kinds: tuple[str, ...]
    file: str
    lines: tuple[int, ...]

    def stands_at(self, places: Iterable[tuple[str, int]]) -> bool:
        return any(
            file == self.file and abs(row - line) <= LINE_TOLERANCE for file, row in places for line in self.lines
        )


@dataclass(frozen=True, slots=True)
class Program:
    """One program of the corpus: a case's folder, and the file in it that is the program."""

    folder: Path
    entry: str
    expected: tuple[Expected, ...] = ()
    runnable: bool = False
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}/{self.entry}"

    @property
    def is_clean(self) -> bool:
        return self.entry != "bad.py"

    def copy_to(self, target: Path) -> Path:
        """Copy the program and the files it needs, without the truth and the case's other programs."""
        shutil.copytree(self.folder, target)
        for leftover in (ENTRIES | {"case.toml"}) - {self.entry}:
            (target / leftover).unlink(missing_ok=True)
        return target


@dataclass(frozen=True, slots=True)
class Reported:
    """One finding of devlint's JSON output."""

    code: str
    severity: str
    message: str
    places: tuple[tuple[str, int], ...]
    """File name and line, the primary place first, then the related ones."""

    @property
    def is_loud(self) -> bool:
        return self.severity in ("error", "warning")


@dataclass(slots=True)
class Score:
    """The figures of one run over the corpus."""

    found: dict[str, int] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """Programs on which devlint failed: an internal error, or output that is no JSON."""
    loud: int = 0
    loud_and_true: int = 0
    clean: int = 0
    clean_with_findings: int = 0

    @property
    def recall(self) -> float:
        return _share(sum(self.found.values()), sum(self.expected.values()))

    @property
    def precision(self) -> float:
        return _share(self.loud_and_true, self.loud)

    def as_json(self) -> dict[str, object]:
        return {
            "kinds": {
                kind: {"found": self.found[kind], "expected": self.expected[kind]} for kind in sorted(self.expected)
            },
            "recall": round(self.recall, 4),
            "precision": round(self.precision, 4),
            "found": sum(self.found.values()),
            "expected": sum(self.expected.values()),
            "loud": self.loud,
            "loud_and_true": self.loud_and_true,
            "clean": self.clean,
            "clean_with_findings": self.clean_with_findings,
            "missed": self.missed,
            "false": self.false,
            "broken": self.broken,
        }


def programs_of(corpus: Path) -> list[Program]:
    """Every program of a corpus: the bad ones, the repaired ones, the clean ones.

    Raises FileNotFoundError when the folder holds no case.
    """
    programs: list[Program] = []
    for truth in sorted(corpus.glob("*/*/case.toml")):
        case = tomllib.loads(truth.read_text("utf-8"))
        runnable, arguments = bool(case.get("runnable", False)), _words(case.get("args", ()))
        for entry in sorted(ENTRIES):
            if (truth.parent / entry).exists():
                expected = tuple(map(_expected, case.get("finding", ()))) if entry == "bad.py" else ()
                programs.append(Program(truth.parent, entry, expected, runnable, arguments))
    if not programs:
        raise FileNotFoundError(f"{corpus} holds no cases (bad/<name>/case.toml, clean/<name>/case.toml)")
    return programs


def check_programs(
    programs: Sequence[Program], command: Sequence[str] = (), workers: int = 2
) -> dict[Program, list[Reported] | str]:
    """What devlint reports on each program, or a sentence on how it failed.

    command: the devlint to run, one process per program; without it, this environment's devlint in forked
    children.
    """
    with tempfile.TemporaryDirectory(prefix="devlint-cases-") as scratch:
        folders = [program.copy_to(Path(scratch, str(number))) for number, program in enumerate(programs)]
        if command:
            with ThreadPoolExecutor(workers) as pool:
                outcomes = list(pool.map(lambda folder: _run([*command, *CHECK], folder), folders))
        else:
            jobs = [Job("devlint.cli:main", str(folder), CHECK) for folder in folders]
            outcomes = run_forked(jobs, preload=CHECKER, workers=workers)
    return dict(zip(programs, map(_reported, outcomes), strict=True))


def score(
    results: Mapping[Program, list[Reported] | str],
    codes: Mapping[str, Sequence[str]],
    only: frozenset[str] = frozenset(),
) -> Score:
    """Compare what was reported with the truth; `only` limits recall to some kinds, never the search for
    false positives."""
    figures = Score()
    for program, reported in results.items():
        if isinstance(reported, str):
            figures.broken.append(f"{program.name}: {reported}")
            reported = []
        for expected in program.expected:
            if only and expected.kind not in only:
                continue
            accepted = {code for kind in expected.kinds for code in codes.get(kind, ())}
            hit = any(finding.code in accepted and expected.stands_at(finding.places) for finding in reported)
            figures.expected[expected.kind] = figures.expected.get(expected.kind, 0) + 1
            figures.found[expected.kind] = figures.found.get(expected.kind, 0) + hit
            if not hit:
                figures.missed.append(f"{program.name}: {expected.file}:{expected.lines[0]} {expected.kind}")
        loud = [finding for finding in reported if finding.is_loud]
        false = [finding for finding in loud if not any(want.stands_at(finding.places) for want in program.expected)]
        figures.loud += len(loud)
        figures.loud_and_true += len(loud) - len(false)
        figures.false += [f"{program.name}: line {it.places[0][1]} {it.code} {it.message}" for it in false]
        figures.clean += program.is_clean
        figures.clean_with_findings += program.is_clean and bool(loud)
    return figures


def kinds_of(corpus: Path) -> dict[str, list[str]]:
    """The rule codes that answer each kind of bug."""
    return tomllib.loads((corpus / "kinds.toml").read_text("utf-8"))


def render_text(figures: Score, verbose: bool) -> Iterator[str]:
    """The table for a terminal; the last line holds the figures."""
    for kind in sorted(figures.expected):
        yield f"{kind:32} {figures.found[kind]:3} of {figures.expected[kind]:3}"
    if verbose:
        for title, rows in (("missed", figures.missed), ("false", figures.false), ("broken", figures.broken)):
            yield f"-- {title} ({len(rows)})"
            yield from (f"   {row}" for row in rows)
    yield (
        f"recall {figures.recall:.3f} ({sum(figures.found.values())}/{sum(figures.expected.values())}) "
        f"precision {figures.precision:.3f} ({figures.loud_and_true}/{figures.loud}) "
        f"clean-with-findings {figures.clean_with_findings}/{figures.clean} broken {len(figures.broken)}"
    )


def render_page(figures: Score, version: str) -> Iterator[str]:
    """The page docs/accuracy.md."""
    yield "# Accuracy on the corpus of cases"
    yield ""
    yield "This page is written by `nox -s cases`."
    yield ""
    yield ABOUT_THE_CORPUS
    yield ""
    yield f"devlint {version}:"
    yield ""
    yield "| measure | figure | of |"
    yield "|---|---|---|"
    found, expected = sum(figures.found.values()), sum(figures.expected.values())
    yield f"| recall | {figures.recall:.1%} | {found} of {expected} expected findings |"
    true, loud = figures.loud_and_true, figures.loud
    yield f"| precision | {figures.precision:.1%} | {true} of {loud} errors and warnings |"
    clean_share = _share(figures.clean_with_findings, figures.clean)
    yield (
        f"| correct programs with an error or warning | {clean_share:.1%} | "
        f"{figures.clean_with_findings} of {figures.clean} |"
    )
    yield f"| programs on which devlint itself failed | {len(figures.broken)} | |"
    yield ""
    yield "| kind of bug | found | expected |"
    yield "|---|---|---|"
    for kind in sorted(figures.expected):
        yield f"| {kind} | {figures.found[kind]} | {figures.expected[kind]} |"
    for title, rows in (("Missed", figures.missed), ("False", figures.false), ("Failed", figures.broken)):
        if rows:
            yield ""
            yield f"## {title}"
            yield ""
            yield from (f"- `{row}`" for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "corpus", type=Path, nargs="?", default=CORPUS, help="the folder of cases (default: tests/cases)"
    )
    parser.add_argument("--devlint", default="", metavar="CMD", help="score this command, one process per program")
    parser.add_argument("--only", default="", metavar="KIND,...", help="measure the recall of these kinds only")
    parser.add_argument("--verbose", action="store_true", help="list what was missed, false and broken")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page of figures to this file as well")
    parser.add_argument("--workers", type=int, default=2, help="programs judged at the same time (default: 2)")
    options = parser.parse_args(arguments)
    try:
        codes = kinds_of(options.corpus)
        programs = programs_of(options.corpus)
    except FileNotFoundError as error:
        parser.error(str(error))
    only = frozenset(filter(None, options.only.split(",")))
    if unknown := only - codes.keys():
        parser.error(f"no such kind: {', '.join(sorted(unknown))}; the corpus knows {', '.join(sorted(codes))}")
    figures = score(check_programs(programs, shlex.split(options.devlint), options.workers), codes, only)
    if options.write:
        from devlint import __version__

        options.write.write_text("\n".join(render_page(figures, __version__)) + "\n", "utf-8")
    print(json.dumps(figures.as_json(), indent=2) if options.json else "\n".join(render_text(figures, options.verbose)))
    return 1 if figures.broken else 0


def _run(command: Sequence[str], folder: Path) -> Outcome:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    return Outcome(run.returncode, run.stdout, run.stderr, 0.0)


def _reported(outcome: Outcome) -> list[Reported] | str:
    if outcome.returncode not in (0, 1):
        return f"exit {outcome.returncode}: {outcome.stderr.strip()[-200:]}"
    try:
        return [_finding(item) for item in json.loads(outcome.stdout)]
    except json.JSONDecodeError as error:
        return f"the output is no JSON ({error}): {outcome.stderr.strip()[-200:]}"


def _finding(item: Mapping[str, Any]) -> Reported:
    places = [(Path(item["filename"]).name, item["location"]["row"])]
    places += [
        (Path(place.get("filename") or item["filename"]).name, place["location"]["row"])
        for place in item.get("related") or ()
        if "location" in place
    ]
    return Reported(item["code"] or "", item["severity"], item["message"], tuple(places))


def _expected(row: Mapping[str, Any]) -> Expected:
    return Expected(
        kind=row["kind"],
        kinds=(row["kind"], *row.get("or", ())),
        file=row.get("file", "bad.py"),
        lines=(row["line"], *row.get("also", ())),
    )


def _words(arguments: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(shlex.split(arguments) if isinstance(arguments, str) else arguments)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


if __name__ == "__main__":
    sys.exit(main())

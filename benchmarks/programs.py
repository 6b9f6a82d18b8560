"""Whole programs that were written for the CPU: what `--fix` makes of them.

    python benchmarks/programs.py [NAME ...] [--jobs 2] [--write docs/programs.md]

For each program of tests/programs, in a copy: it is run as it stands; `devlint check --fix` is applied, with safe fixes
only and again with unsafe ones; the result is run on the CPU, where it has to print the same, and under
`devlint verify`, where it has to run to its end with nine tenths of its floating-point operations on the accelerator.

The outcome is `right`, `refused` (a finding is left that says what to do by hand, and the program is as good as it
was), `missed` (no finding is left, and the program does not use the accelerator), or `broken`: it fails or prints
something else on the CPU, or fails on the accelerator although a safe fix was applied and no finding is left. A program
that is half moved, with findings left to say so, counts as refused where it still runs on the CPU.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent.parent / "tests" / "programs"
LEVELS = {"safe": (), "unsafe": ("--unsafe-fixes",)}
TIME_LIMIT = 600
"""Seconds for one run of a program."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one program at one level. share: of its work on the accelerator, as `devlint verify` puts it."""

    verdict: str
    share: str
    why: str = ""


def names() -> list[str]:
    """The programs: files, and folders that hold a `train.py`."""
    return sorted(path.stem for path in PROGRAMS.iterdir() if path.suffix == ".py" or (path / "train.py").is_file())


def copied(name: str, folder: Path) -> Path:
    """A copy of a program in an empty folder; the script to run."""
    source = PROGRAMS / name
    if source.is_dir():
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        return folder / "train.py"
    shutil.copy(source.with_suffix(".py"), folder)
    return folder / f"{name}.py"


def lines_of(name: str) -> int:
    """How many lines a program has, in all its files."""
    source = PROGRAMS / name
    files = source.rglob("*.py") if source.is_dir() else [source.with_suffix(".py")]
    return sum(file.read_bytes().count(b"\n") for file in files)


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command on one thread, in a folder; status 124 where it takes too long."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    try:
        return subprocess.run(
            [sys.executable, *command], cwd=folder, env=environment, text=True, capture_output=True, timeout=TIME_LIMIT
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"took over {TIME_LIMIT} s")


def judged(name: str, level: str) -> Outcome:
    """Fix a copy of a program and try the result."""
    with tempfile.TemporaryDirectory(prefix="devlint-programs-") as scratch:
        folder = Path(scratch, name)
        folder.mkdir()
        script = copied(name, folder).name
        before = run([script], folder)
        fix = run(["-m", "devlint", "check", "--isolated", "--fix", *LEVELS[level], "."], folder)
        after = run([script], folder)
        verified = run(["-m", "devlint", "verify", script], folder)
    share = next(
        (line for line in (verified.stdout + verified.stderr).splitlines() if line.startswith("devlint verify:")), ""
    )
    share = share.removeprefix("devlint verify: ").partition("%")[0] or "-"
    if before.returncode or fix.returncode not in (0, 1):
        return Outcome("failed", share, _last(before.stderr or fix.stderr))
    if after.returncode or after.stdout != before.stdout:
        return Outcome("broken", share, "on the CPU: " + (_last(after.stderr) or "other output"))
    if verified.returncode == 0:
        return Outcome("right", share)
    left = fix.returncode == 1
    error = _last(verified.stdout + verified.stderr, "Error")
    if left:
        return Outcome("refused", share, error)
    return Outcome("broken" if error else "missed", share, error)


def _last(text: str, word: str = "") -> str:
    """The last line of a text, or the first one with a word in it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if word:
        return next((line for line in lines if word in line and not line.startswith("devlint")), "")
    return lines[-1] if lines else ""


def page(rows: Sequence[tuple[str, dict[str, Outcome]]]) -> Iterator[str]:
    """The page docs/programs.md."""
    yield "# Whole programs"
    yield ""
    yield "This page is written by `python benchmarks/programs.py --write docs/programs.md`."
    yield ""
    yield "The programs of [tests/programs](../tests/programs) train on the CPU and know no device. They were written"
    yield "by somebody who had not seen devlint; what it got wrong at first sight was mended as kinds."
    yield "So the figures say what devlint covers, not how it does on the next program."
    yield ""
    yield f"Last run: {date.today().isoformat()}, on the simulated accelerator."
    yield ""
    yield "| program | lines | safe fixes | share | with unsafe fixes | share |"
    yield "|---|---|---|---|---|---|"
    for name, found in rows:
        safe, unsafe = found["safe"], found["unsafe"]
        yield (f"| {name} | {lines_of(name)} | {safe.verdict} | {safe.share} % | {unsafe.verdict} | {unsafe.share} % |")
    yield ""
    for level in LEVELS:
        verdicts = [found[level].verdict for _, found in rows]
        counts = ", ".join(f"{verdicts.count(word)} {word}" for word in dict.fromkeys(sorted(verdicts)))
        yield f"- {level} fixes: {counts}"
    yield ""
    yield "*right*: prints the same on the CPU, and runs to its end on the accelerator with at least nine tenths of its"
    yield "floating-point operations there. *refused*: a finding is left that says what to do by hand; it runs on the"
    yield "CPU as before. *missed*: no finding is left, and it stays on the CPU. *broken*: the fix made it fail."


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="these programs only (the page is not written)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--write", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(names()):
        parser.error(f"unknown program {', '.join(sorted(unknown))}; choose from {', '.join(names())}")
    chosen = options.names or names()
    work = [(name, level) for name in chosen for level in LEVELS]
    found: dict[str, dict[str, Outcome]] = {name: {} for name in chosen}
    with ThreadPoolExecutor(options.jobs) as pool:
        for (name, level), outcome in zip(work, pool.map(lambda item: judged(*item), work), strict=True):
            found[name][level] = outcome
            print(f"{name:20} {level:7} {outcome.verdict:8} {outcome.share:>6} %  {outcome.why[:120]}", flush=True)
    if options.write and not options.names:
        options.write.write_text("\n".join(page(list(found.items()))) + "\n", "utf-8")
    return int(any(outcome.verdict in ("broken", "failed") for levels in found.values() for outcome in levels.values()))


if __name__ == "__main__":
    raise SystemExit(main())

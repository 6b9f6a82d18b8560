"""The corpus of cases: what devlint finds there, what it leaves alone, what its fixes do to it."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import libcst
import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from forked import CHECKER, TORCH, Job, Outcome, run_forked  # noqa: E402
from score_cases import CORPUS, Program, Score, check_programs, kinds_of, programs_of, score  # noqa: E402

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forked children")

KINDS = frozenset(
    {
        "cuda-call",
        "cuda-literal",
        "batch-not-moved",
        "partial-batch-moved",
        "split-tensor-not-moved",
        "discarded-tensor-move",
        "discarded-module-move",
        "model-not-moved",
    }
)
LEAST_RECALL = 0.85
MOST_CLEAN_WITH_FINDINGS = 0.05
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
PROGRAMS = programs_of(CORPUS)
FIXES = {"safe": ("--fix",), "unsafe": ("--fix", "--unsafe-fixes")}


@dataclass(frozen=True)
class Fixed:
    """A copy of a program after two runs of `--fix`, and its files' bytes before and after each of them."""

    folder: Path
    before: dict[str, bytes]
    once: dict[str, bytes]
    twice: dict[str, bytes]
    runs: tuple[Outcome, Outcome]


@pytest.fixture(scope="module")
def figures() -> Score:
    return score(check_programs(PROGRAMS), kinds_of(CORPUS), KINDS)


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[Program, str], Fixed]:
    root = tmp_path_factory.mktemp("fixed")
    folders = {
        (program, level): program.copy_to(root / level / str(number))
        for level in FIXES
        for number, program in enumerate(PROGRAMS)
    }
    before = {key: _python_files(folder) for key, folder in folders.items()}
    jobs = {
        key: Job("devlint.cli:main", str(folder), ("check", "--isolated", "--quiet", *FIXES[key[1]], "."))
        for key, folder in folders.items()
    }
    first = dict(zip(folders, run_forked(list(jobs.values()), preload=CHECKER), strict=True))
    once = {key: _python_files(folder) for key, folder in folders.items()}
    # What the first run left as it was, a second one leaves as well: it is the same run.
    again = [key for key in folders if once[key] != before[key]]
    second = first | dict(zip(again, run_forked([jobs[key] for key in again], preload=CHECKER), strict=True))
    return {
        key: Fixed(folder, before[key], once[key], _python_files(folder), (first[key], second[key]))
        for key, folder in folders.items()
    }


def test_devlint_fails_on_no_case(figures: Score) -> None:
    assert figures.broken == []


def test_the_bugs_are_found(figures: Score) -> None:
    assert sum(figures.expected.values()) > 0
    assert figures.recall >= LEAST_RECALL, "\n".join(figures.missed)


def test_correct_programs_are_left_alone(figures: Score) -> None:
    allowed = MOST_CLEAN_WITH_FINDINGS * figures.clean
    assert figures.clean_with_findings <= allowed, "\n".join(figures.false)


@pytest.mark.parametrize("level", FIXES)
def test_fixed_programs_parse(fixed: dict[tuple[Program, str], Fixed], level: str) -> None:
    changed = 0
    for (program, its_level), result in fixed.items():
        if its_level != level:
            continue
        assert result.runs[0].returncode in (0, 1), f"{program.name}: {result.runs[0].stderr}"
        for name, content in result.once.items():
            if content != result.before[name]:
                changed += 1
                libcst.parse_module(content)
                compile(content, f"{program.name}:{name}", "exec")
    assert changed > 0, "no case was changed by its fix"


@pytest.mark.parametrize("level", FIXES)
def test_fixing_twice_changes_nothing_more(fixed: dict[tuple[Program, str], Fixed], level: str) -> None:
    unstable = [
        f"{program.name}: {name}"
        for (program, its_level), result in fixed.items()
        for name in result.once
        if its_level == level and result.once[name] != result.twice[name]
    ]
    assert unstable == []


def test_safely_fixed_programs_print_the_same_on_a_cpu(fixed: dict[tuple[Program, str], Fixed], tmp_path: Path) -> None:
    """Only programs that run on a CPU and repeat their own output under one seed can be compared."""
    pytest.importorskip("torch")
    candidates = [
        (program, result)
        for (program, level), result in fixed.items()
        if level == "safe" and program.runnable and result.once != result.before
    ]
    assert candidates, "no runnable case was changed by a safe fix"
    jobs: list[Job] = []
    for number, (program, result) in enumerate(candidates):
        for copy in ("original", "repeated", "fixed"):
            folder = tmp_path / f"{number}-{copy}"
            if copy == "fixed":
                shutil.copytree(result.folder, folder)
            else:
                program.copy_to(folder)
            jobs.append(Job(program.entry, str(folder), program.arguments, seed=0))
    outcomes = run_forked(jobs, preload=TORCH)
    differences: list[str] = []
    compared = 0
    for number, (program, _) in enumerate(candidates):
        original, repeated, after = outcomes[3 * number : 3 * number + 3]
        if original.returncode != 0:
            continue
        compared += 1
        if after.returncode != 0:
            differences.append(f"{program.name} fails after the fix: {after.stderr[-400:]}")
        elif _same_output(original.stdout, repeated.stdout) and not _same_output(original.stdout, after.stdout):
            differences.append(f"{program.name} prints {after.stdout!r} after the fix, {original.stdout!r} before")
    assert compared > 0
    assert differences == [], "\n".join(differences)


def _python_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


def _same_output(first: str, second: str) -> bool:
    """Whether two outputs say the same, numbers compared up to rounding."""
    if NUMBER.sub("#", first) != NUMBER.sub("#", second):
        return False
    pairs = zip(NUMBER.findall(first), NUMBER.findall(second), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-4, abs_tol=1e-5) for a, b in pairs)

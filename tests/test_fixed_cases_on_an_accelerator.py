"""The corpus of cases, repaired by devlint itself and run: on the simulated accelerator, and without any.

A case counts where it runs on a CPU machine and all of devlint's findings on it carry a safe fix, so that
nothing is left to the reader. The repaired program must run to its end with its work on the device, print
what the program printed on the CPU, and still run where there is no accelerator.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import forked
from score_cases import CORPUS, Program, programs_of
from test_cases import _same_output

from devlint.verify.harness import Job, Outcome, run_programs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forked children")

LEAST = 40
"""Cases that must have been run, so that a test that runs nothing cannot pass."""
STAYS_HOME = {
    "cuda-index-into-host": "one comparison on the device, one host tensor is indexed with its answer; nothing else is computed",
    "generator-on-host": "fills a tensor on the device, which no formula counts, and computes nothing",
    "load-no-map": "saves and loads a model and never calls it: nothing is computed anywhere",
    "positional-encoding-attribute": "six operations on the host fill a table, one on the device uses it",
    "r-conformer-stale-device-attribute": "runs the encoder once on the device and once on the host, on purpose",
}
"""Repaired programs with less than 0.9 of their work on the device, and why that is right."""
PRINTS_OTHERS: dict[str, str] = {
    "device-flag-never-used": "it prints its device",
    "tabular-notebook-all-on-host": "it prints its device",
}
"""Repaired programs that print something else on the device than on the CPU, and why that is right."""


@dataclass(frozen=True)
class Repaired:
    """One case after `devlint check --fix`."""

    program: Program
    simulated: Outcome
    host: Outcome
    before: Outcome
    again: Outcome
    """The unrepaired program on the CPU, twice: what it does not repeat itself cannot be compared."""


def programs() -> list[Program]:
    return [program for program in programs_of(CORPUS) if program.entry == "bad.py" and program.runnable]


def fully_fixed(root: Path) -> dict[Program, Path]:
    """Folders of the programs that `--fix` changes and leaves without an error or a warning."""
    folders = {program: program.copy_to(root / str(number)) for number, program in enumerate(programs())}
    texts = {program: _texts(folder) for program, folder in folders.items()}

    def check(*options: str) -> list[forked.Outcome]:
        arguments = ("check", "--isolated", "--quiet", *options, ".")
        jobs = [forked.Job("devlint.cli:main", str(folder), arguments) for folder in folders.values()]
        return forked.run_forked(jobs, preload=forked.CHECKER)

    check("--fix")
    left = dict(zip(folders, check("--fail-on", "warning"), strict=True))
    return {
        program: folder
        for program, folder in folders.items()
        if left[program].returncode == 0 and _texts(folder) != texts[program]
    }


def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> list[Repaired]:
    root = tmp_path_factory.mktemp("repaired")
    folders = fully_fixed(root)
    jobs = []
    for program, folder in folders.items():
        fixed = {path: path.read_text("utf-8") for path in folder.rglob("*.py")}
        for where, device in ((folder, "sim"), (folder, "cpu"), (program.folder, "cpu"), (program.folder, "cpu")):
            texts = fixed if where is folder else None
            jobs.append(
                Job(where / program.entry, device, program.arguments, fixed_files=texts, same_numbers=device == "sim")
            )
    outcomes = iter(run_programs(jobs))
    return [Repaired(program, *(next(outcomes) for _ in range(4))) for program in folders]


def test_enough_cases_are_repaired(repaired: list[Repaired]) -> None:
    assert len(repaired) >= LEAST, len(repaired)


def test_repaired_programs_run_on_the_accelerator(repaired: list[Repaired]) -> None:
    failed = [f"{case.program.name}: {case.simulated.error}" for case in repaired if not case.simulated.ok]
    assert failed == []


def test_repaired_programs_do_their_work_there(repaired: list[Repaired]) -> None:
    home = {case.program.folder.name: case.simulated.share for case in repaired if case.simulated.share < 0.9}
    assert home.keys() - STAYS_HOME.keys() == set(), home
    assert STAYS_HOME.keys() - home.keys() == set(), "no longer so"


def test_repaired_programs_print_what_they_print_on_the_cpu(repaired: list[Repaired]) -> None:
    compared, different = 0, {}
    for case in repaired:
        if not case.before.ok or not _same_output(case.before.stdout, case.again.stdout):
            continue
        compared += 1
        if not _same_output(case.before.stdout, case.simulated.stdout):
            different[case.program.folder.name] = (case.before.stdout, case.simulated.stdout)
    assert different.keys() - PRINTS_OTHERS.keys() == set(), different
    assert PRINTS_OTHERS.keys() - different.keys() == set(), "no longer so"
    assert compared >= LEAST, compared


def test_repaired_programs_run_without_an_accelerator(repaired: list[Repaired]) -> None:
    failed = [f"{case.program.name}: {case.host.error}" for case in repaired if not case.host.ok and case.before.ok]
    assert failed == []

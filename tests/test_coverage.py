"""docs/coverage.md: every row that claims a rule is shown by a case on which that rule speaks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from conftest import Invoke
from test_migrating import PROGRAMS, write

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from score_cases import CORPUS, Expected, Program, programs_of  # noqa: E402

PAGE = (ROOT / "docs" / "coverage.md").read_text()
KINDS = {
    "no destination device given",
    "wrong state sharing",
    "wrong reference to a GPU device",
    "wrong data parallelism",
    "unsupported operation on CUDA tensors",
    "conversion to a CUDA tensor inside the loop",
    "wrong CPU-GPU transfer function",
    "missing transfer to GPU",
    "wrong tensor sent to GPU",
    "GPU tensor where a CPU tensor is needed",
}
"""Those of https://arxiv.org/abs/1910.11015 about the use of a GPU."""


def rows(heading: str) -> list[list[str]]:
    """The cells of a section's table, without its head."""
    section = PAGE[PAGE.index(f"## {heading}") :].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


FAULTS = rows("The faults of a published taxonomy")
LINTERS = rows("What in-house linters look for")


def codes(invoke: Invoke, *arguments: str) -> dict[str, set[tuple[str, int]]]:
    """The codes that are reported, with all places of their findings."""
    run = invoke("check", "--output-format", "json", *arguments)
    assert run.exit_code in (0, 1), run.stderr
    found: dict[str, set[tuple[str, int]]] = {}
    for row in json.loads(run.stdout):
        places = [row, *row["related"]]
        found.setdefault(row["code"], set()).update(
            (Path(place["filename"]).name, place["location"]["row"]) for place in places
        )
    return found


def expected_in(program: Program) -> tuple[Expected, ...]:
    assert program.expected, program.name
    return program.expected


def test_every_kind_has_a_row() -> None:
    assert {row[0] for row in FAULTS} == KINDS
    assert {row[2] for row in LINTERS} == PROGRAMS.keys()


@pytest.mark.parametrize("row", FAULTS, ids=lambda row: f"{row[0]}: {row[1]}")
def test_the_rule_reports_the_case(invoke: Invoke, tmp_path: Path, row: list[str]) -> None:
    _, rule, case, _ = row
    if rule == "not covered":
        assert case == ""
        return
    link = re.fullmatch(r"\[([\w-]+)\]\(\.\./tests/cases/bad/\1/bad\.py\)", case)
    assert link is not None, "the case is named and linked"
    (program,) = (p for p in programs_of(CORPUS) if p.folder == CORPUS / "bad" / link[1] and p.entry == "bad.py")
    folder = program.copy_to(tmp_path / "case")
    places = codes(invoke, "--isolated", str(folder)).get(rule, set())
    assert any(want.stands_at(places) for want in expected_in(program)), f"{rule} is silent on {link[1]}"


@pytest.mark.parametrize("row", LINTERS, ids=lambda row: row[2])
def test_the_rules_report_the_program(invoke: Invoke, tmp_path: Path, row: list[str]) -> None:
    _, rules, name = row
    write(tmp_path, name)
    assert codes(invoke).keys() == set(rules.split(", "))

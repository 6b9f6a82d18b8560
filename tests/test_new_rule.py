"""`nox -s new-rule`: what it writes is a rule as soon as every TODO is answered; CONTRIBUTING.md answers them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from new_rule import FAMILIES, KINDS, main, next_code  # noqa: E402

NAME = "cache-emptied-in-loop"
ASKED = (NAME, "transfers", "CudaApiCall")
RULE = Path("rules", "transfers", "cache_emptied_in_loop.py")
WALK = re.findall(r"^<!-- (\S+) -->\n(`{3,4})\w+\n(.*?)^\2$", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S)
ANSWERS = {Path(name): text for name, _, text in WALK}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what the generator reads, and of what the tests of a rule need."""
    for name in ("devlint", "rules", "benchmarks", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "devlint" / "rules").symlink_to("../rules")
    (tmp_path / "tests" / "cases").mkdir(parents=True)
    for name in ("tests/test_rule_pages.py", "tests/conftest.py", str(KINDS), "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def snapshot(tree: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def python(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy of devlint."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=280)


def test_the_walk_makes_a_rule_of_the_skeleton(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the command to a rule that its page, the score and mypy are content with, by CONTRIBUTING.md alone."""
    code = next_code(tree, "transfers")
    before = snapshot(tree)
    assert main(ASKED, tree) == 0
    written = {path.relative_to(tree) for path in snapshot(tree).keys() - before.keys()}
    assert written == ANSWERS.keys(), "the guide answers every file that is written"
    said = capsys.readouterr().out
    assert [path for path in written if path.name not in said] == []
    assert f'{NAME} = ["{code}"]' in (tree / KINDS).read_text()
    skeleton_fails = python(tree, "-m", "pytest", "-n0", "-q", "tests/test_rule_pages.py", "-k", code)
    assert skeleton_fails.returncode == 1, "an unanswered skeleton is no rule"
    assert f"{code}" in skeleton_fails.stdout

    for path, answer in ANSWERS.items():
        skeleton = (tree / path).read_text()
        text = re.sub(r"\bDVL\d{3}\b", code, answer)
        left = [line for line in skeleton.splitlines() if "TODO" not in line and line not in text.splitlines()]
        assert not [line for line in left if line.strip() not in {"if is_a_bug:", "import torch"}], path
        assert "TODO" not in text
        (tree / path).write_text(text)

    assert python(tree, "benchmarks/rule_pages.py").returncode == 0
    pages = python(tree, "-m", "pytest", "-n0", "-q", "tests/test_rule_pages.py")
    assert pages.returncode == 0, pages.stdout
    score = python(tree, "benchmarks/score_cases.py", "--verbose")
    assert f"{NAME:32}   1 of   1" in score.stdout, score.stdout
    assert "precision 1.000 (1/1) clean-with-findings 0/1 broken 0" in score.stdout


def test_the_guide_asks_for_what_is_tested_here() -> None:
    assert f"nox -s new-rule -- {' '.join(ASKED)}\n" in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_skeleton_of_every_family_can_be_typed_and_is_silent(tree: Path, family: str) -> None:
    assert main([NAME, family], tree) == 0
    path = Path("rules", family, "cache_emptied_in_loop.py")
    checked = python(tree, "-m", "mypy", "--strict", str(path), "--config-file", os.devnull)
    assert checked.returncode == 0, checked.stdout
    shutil.copy(ROOT / "examples" / "train_images.py", tree / "train.py")
    run = python(tree, "-m", "devlint", "check", "--isolated", "--select", NAME, "train.py")
    assert (run.returncode, run.stderr) == (0, ""), run.stdout


def test_the_next_code_is_behind_every_code_that_was_given(tree: Path) -> None:
    (tree / KINDS).write_text((tree / KINDS).read_text() + 'reserved = ["DVL480"]\n')
    assert next_code(tree, "transfers") == "DVL481"
    (tree / KINDS).write_text((tree / KINDS).read_text() + 'reserved-too = ["DVL499"]\n')
    before = snapshot(tree)
    assert main(ASKED, tree) == 2
    assert snapshot(tree) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Cache_Emptied", "transfers"], "small letters and digits with hyphens"),
        (["-x", "transfers"], "small letters and digits with hyphens"),
        (["../escape", "transfers"], "small letters and digits with hyphens"),
        ([NAME, "transfer"], "no such family; there are portability, data, models, transfers"),
        ([NAME, "meta"], "no such family"),
        (["cuda-call", "portability"], "a rule of this name exists"),
        (["parameter-moved", "models"], "is a kind of another rule"),
        ([NAME, "transfers", "CudaApiCal"], "no such fact; did you mean `CudaApiCall`?"),
        ([NAME], "usage: nox -s new-rule"),
        ([], "usage: nox -s new-rule"),
        ([NAME, "transfers", "CudaApiCall", "more"], "usage: nox -s new-rule"),
    ],
)
def test_what_cannot_be_made_is_refused(
    tree: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    before = snapshot(tree)
    assert main(arguments, tree) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    assert snapshot(tree) == before


@pytest.mark.parametrize("taken", [RULE, Path("tests", "cases", "clean", f"like-{NAME}", "clean.py")])
def test_nothing_is_overwritten(tree: Path, capsys: pytest.CaptureFixture[str], taken: Path) -> None:
    (tree / taken).parent.mkdir(parents=True, exist_ok=True)
    (tree / taken).write_text("# somebody's work\n")
    before = snapshot(tree)
    assert main(ASKED, tree) == 2
    assert f"{taken} exists, and nothing was written" in capsys.readouterr().err
    assert snapshot(tree) == before

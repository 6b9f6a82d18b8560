"""The main job on the examples: devlint finds their bugs, fixes them, and they compute the same."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NAMES = sorted(path.name for path in EXAMPLES.glob("*.py"))
NUMBER = re.compile(r"\d+\.\d+")


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of the examples that a fix may write to."""
    return shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.mark.parametrize("name", NAMES)
def test_an_example_mentions_no_device(name: str) -> None:
    text = (EXAMPLES / name).read_text("utf-8")
    assert not re.search(r"device|cuda|\.to\(", text)


def test_every_example_has_findings(examples: Path) -> None:
    run = _devlint("check", "--isolated", "--output-format", "json", str(examples))
    assert run.returncode == 1, run.stderr
    assert {Path(finding["filename"]).name for finding in json.loads(run.stdout)} == set(NAMES)


def test_the_fix_leaves_nothing_to_find(examples: Path) -> None:
    _devlint("check", "--isolated", "--fix", str(examples))
    run = _devlint("check", "--isolated", str(examples))
    assert run.returncode == 0, run.stdout + run.stderr
    for name in NAMES:
        text = (examples / name).read_text("utf-8")
        assert 'torch.device("cuda" if torch.cuda.is_available() else "cpu")' in text
        assert ".to(device)" in text


def test_the_diff_writes_nothing(examples: Path) -> None:
    run = _devlint("check", "--isolated", "--diff", str(examples))
    assert run.returncode == 1, run.stderr
    assert run.stdout.startswith("---")
    for name in NAMES:
        assert (examples / name).read_bytes() == (EXAMPLES / name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_fixed_example_computes_the_same_on_a_cpu(examples: Path, name: str) -> None:
    pytest.importorskip("torch")
    _devlint("check", "--isolated", "--fix", str(examples))
    assert (examples / name).read_bytes() != (EXAMPLES / name).read_bytes()
    assert _numbers(examples / name) == pytest.approx(_numbers(EXAMPLES / name), rel=1e-3)


def _numbers(program: Path) -> list[float]:
    run = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr
    numbers = [float(number) for number in NUMBER.findall(run.stdout)]
    assert numbers, run.stdout
    return numbers


def _devlint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from devlint.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )

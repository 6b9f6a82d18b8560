"""benchmarks/speedup.py, its steps on the simulated accelerator; its figures need a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

SCRIPT = Path(__file__).resolve().parent.parent / "benchmarks" / "speedup.py"


def speedup(*options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True, env=environment)


def test_the_fix_brings_the_work_to_the_device(tmp_path: Path) -> None:
    done = speedup("--device", "sim", "--quick", "--json", str(tmp_path / "figures.json"))
    assert done.returncode == 0, done.stderr
    runs = json.loads((tmp_path / "figures.json").read_text())["runs"]
    assert runs["before"]["share"] == 0 and runs["after"]["share"] >= 0.9
    assert runs["after"]["loss"] == pytest.approx(runs["cpu"]["loss"], rel=1e-4)


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
def test_without_an_accelerator_it_says_so() -> None:
    done = speedup()
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1

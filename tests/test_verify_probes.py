"""The simulated accelerator does what a CUDA machine does: 148 small programs, each with the behaviour
in its first line.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from devlint.verify.harness import Outcome, run_programs

FOLDER = Path(__file__).parent / "sim_probes"
_spec = importlib.util.spec_from_file_location("probe_count", FOLDER / "count.py")
assert _spec and _spec.loader
count = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(count)

PROBES = count.probes([])


@pytest.fixture(scope="module")
def outcomes() -> dict[Path, Outcome]:
    return dict(zip(PROBES, run_programs([count.job(path) for path in PROBES]), strict=True))


@pytest.mark.parametrize("path", PROBES, ids=lambda path: path.stem)
def test_probe(path: Path, outcomes: dict[Path, Outcome]) -> None:
    assert not count.complaint(path, outcomes[path])

"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest, torch

@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA")
def test_on_cuda():
    assert (torch.ones(2, device="cuda") + 1).is_cuda

@pytest.mark.accelerator
def test_marked():
    pass

def test_mixed(accelerator):
    before = accelerator.ledger.used(accelerator.device)
    x = torch.ones(3, device=accelerator.device)
    assert accelerator.ledger.used(accelerator.device) == before + 12
    with pytest.raises(RuntimeError, match="same device"):
        x + torch.ones(3)
"""


def run(folder: Path, *options: str) -> str:
    (folder / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_plugin(), *options]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=100,
    )
    return done.stdout


def _plugin() -> list[str]:
    from importlib.metadata import entry_points

    known = any(entry.value == "devlint.verify.plugin" for entry in entry_points(group="pytest11"))
    return [] if known else ["-p", "devlint.verify.plugin"]


def test_inert_without_device(tmp_path: Path) -> None:
    assert "3 skipped" in run(tmp_path)


def test_sim_runs_what_was_skipped(tmp_path: Path) -> None:
    out = run(tmp_path, "--device=sim")
    assert "3 passed" in out, out


def test_a_missing_device_is_a_usage_error(tmp_path: Path) -> None:
    import torch

    if not torch.backends.mps.is_built():
        assert "passed" not in run(tmp_path, "--device=mps")

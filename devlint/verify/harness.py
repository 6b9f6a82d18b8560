"""Running a program in a process of its own, for tests that must see it run on an accelerator.

    outcome = run_program(Path("fixed.py"))
    assert outcome.ok and outcome.share >= 0.9, outcome
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class ProgramError:
    """The exception that ended a program; `device_error` tells a device bug from another failure."""

    type: str
    message: str
    device_error: bool


@dataclass(frozen=True)
class Outcome:
    """What a program did. `ok`: it ran to its end. `share`: part of its work done on the accelerator, 0 to 1."""

    ok: bool
    share: float
    stdout: str
    stderr: str
    error: ProgramError | None
    report: dict[str, Any]
    """The whole report, as `devlint verify --report json` writes it; empty where the run left none."""

    @property
    def device_bug(self) -> bool:
        """Whether the run showed what a rule claims: a device error, or too little work on the accelerator."""
        return (self.error is not None and self.error.device_error) or (self.ok and self.share < 0.9)


def run_program(
    path_or_text: str | Path,
    device: str = "sim",
    args: Sequence[str] = (),
    time_limit: float = 60,
    *,
    sim_devices: int = 1,
    seed: int | None = None,
    same_numbers: bool = False,
    cwd: Path | None = None,
) -> Outcome:
    """Run a program as `devlint verify --device DEVICE` runs it, in a fresh process, and report what it did.

    A string with a line break is the program's text, else a path. `device` is "sim", "cpu" (no accelerator at all),
    "auto", "cuda", "mps" or "xpu". With `same_numbers` the simulated device draws from the host's random stream: with
    the same `seed` the program then prints what it prints with device="cpu".
    """
    with tempfile.TemporaryDirectory(prefix="devlint-") as folder:
        script = _as_file(path_or_text, Path(folder))
        report = Path(folder) / "report.json"
        options = ["--device", device, "--sim-devices", str(sim_devices), "--min-share", "0", "--report", "json"]
        options += ["--output", str(report), "--time-limit", str(time_limit)]
        options += ["--seed", str(seed)] if seed is not None else []
        options += ["--host-random-stream"] if same_numbers else []
        command = [sys.executable, "-m", "devlint.verify", *options, str(script), *args]
        return _outcome(command, report, time_limit, cwd)


def _as_file(path_or_text: str | Path, folder: Path) -> Path:
    if isinstance(path_or_text, Path) or "\n" not in path_or_text:
        return Path(path_or_text).resolve()
    script = folder / "program.py"
    script.write_text(path_or_text, encoding="utf-8")
    return script


def _outcome(command: list[str], report: Path, time_limit: float, cwd: Path | None) -> Outcome:
    environment = {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"} | dict(os.environ)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", errors="replace", cwd=cwd,
            env=environment, timeout=time_limit + 60, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        error = ProgramError("TimeLimitReached", f"no end after {time_limit:g} s", False)
        return Outcome(False, 0.0, str(late.stdout or ""), str(late.stderr or ""), error, {})
    if not report.exists():
        error = ProgramError("Died", f"exit status {done.returncode}, no report left: {done.stderr[-2000:]}", False)
        return Outcome(False, 0.0, done.stdout, done.stderr, error, {})
    data = json.loads(report.read_text(encoding="utf-8"))
    failed = data["error"]
    shown = failed and ProgramError(failed["type"], failed["message"], failed["device_error"])
    return Outcome(failed is None, data["share"], done.stdout, done.stderr, shown, data)

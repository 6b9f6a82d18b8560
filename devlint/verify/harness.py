"""Running many small programs for tests, each in a process of its own, quickly: children are forked where
torch is loaded.

outcome = run_program("examples/train.py")
assert outcome.ok and outcome.share >= 0.9
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Job:
    """One run. device: "sim", "cpu" (plainly, as on a machine without an accelerator), or a real one.

    program: a path, or the text of a program. fixed_files: texts that stand for files, by path.
    same_numbers: let the simulated device draw the host's random numbers, so that output can be compared
    with "cpu".
    """

    program: Path | str
    device: str = "sim"
    args: Sequence[str] = ()
    time_limit: float = 60
    seed: int = 0
    fixed_files: Mapping[Path, str] | None = None
    devices: int = 1
    same_numbers: bool = False


@dataclass(frozen=True, slots=True)
class Error:
    """How the program failed. `device_error`: about devices, not anything else."""

    type: str
    message: str
    device_error: bool = False
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one program. share: part of the work done on the accelerator, 0 to 1 (0 on the CPU)."""

    ok: bool
    share: float = 0.0
    stdout: str = ""
    stderr: str = ""
    error: Error | None = None
    seconds: float = 0.0
    report: dict[str, Any] = field(default_factory=dict)


def run_program(
    program: Path | str,
    device: str = "sim",
    args: Sequence[str] = (),
    time_limit: float = 60,
    seed: int = 0,
    fixed_files: Mapping[Path, str] | None = None,
    *,
    devices: int = 1,
    same_numbers: bool = False,
) -> Outcome:
    """Run one program in a process of its own. A string with a line break is the program's text."""
    return run_programs([Job(program, device, args, time_limit, seed, fixed_files, devices, same_numbers)])[0]


def run_programs(jobs: Sequence[Job], workers: int = 2) -> list[Outcome]:
    """Run programs, `workers` at a time, and give their outcomes in the same order."""
    if not jobs:
        return []
    orders = [_order(job) for job in jobs]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        orders_file, outcomes = Path(folder, "orders"), Path(folder, "outcomes")
        orders_file.write_text(json.dumps({"workers": workers, "orders": orders}), encoding="utf-8")
        outcomes.mkdir()
        command = [sys.executable, "-m", "devlint.verify.harness", str(orders_file), str(outcomes)]
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"the harness itself failed:\n{done.stderr}")
        return [_outcome(outcomes, number) for number in range(len(jobs))]


def _order(job: Job) -> dict[str, Any]:
    order = {**asdict(job), "program": str(job.program), "args": [str(arg) for arg in job.args]}
    if job.fixed_files is not None:
        order["fixed_files"] = {str(Path(path).resolve()): text for path, text in job.fixed_files.items()}
    return order


def _outcome(folder: Path, number: int) -> Outcome:
    stdout, stderr = (
        Path(folder, f"{number}.{name}").read_text(encoding="utf-8", errors="replace") for name in ("out", "err")
    )
    result = Path(folder, f"{number}.json")
    if not result.exists():
        return Outcome(False, stdout=stdout, stderr=stderr, error=Error("Crash", "the process ended without a result"))
    data = json.loads(result.read_text(encoding="utf-8"))
    error = data.pop("error")
    return Outcome(**data, stdout=stdout, stderr=stderr, error=Error(**error) if error else None)


def serve(orders_file: Path, folder: Path) -> None:
    """The process that loads torch once and forks a child for each order."""
    import torch
    from torch.utils import data  # noqa: F401

    from devlint.verify import device_errors, runner  # noqa: F401
    from devlint.verify.accelerator import simulated_accelerator
    from devlint.verify.tally import formulas

    torch.set_num_threads(1)
    formulas()
    with simulated_accelerator():
        torch.ones(1, device="cuda").add(1)
    # The first step of an optimizer imports eight hundred modules of torch: once here, not in every child.
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0).step()
    gc.collect()
    gc.freeze()
    work = json.loads(orders_file.read_text(encoding="utf-8"))
    waiting = list(enumerate(work["orders"]))[::-1]
    running: dict[int, tuple[int, float]] = {}
    while waiting or running:
        while waiting and len(running) < work["workers"]:
            number, order = waiting.pop()
            running[_fork(number, order, folder)] = (number, time.monotonic() + order["time_limit"] + 5)
        _reap(running)


def _reap(running: dict[int, tuple[int, float]]) -> None:
    for child, (_, deadline) in list(running.items()):
        done, _ = os.waitpid(child, os.WNOHANG)
        if done:
            del running[child]
        elif time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
    select.select([], [], [], 0.005)


def _fork(number: int, order: dict[str, Any], folder: Path) -> int:
    child = os.fork()
    if child:
        return child
    os.setpgid(0, 0)
    for name, descriptor in (("out", 1), ("err", 2)):
        os.dup2(os.open(Path(folder, f"{number}.{name}"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    result: dict[str, Any]
    try:
        result = _run(order)
        json.dumps(result)
    except BaseException as error:
        shown = traceback.format_exc()
        result = {"ok": False, "error": {"type": type(error).__name__, "message": str(error), "shown": shown}}
    if os.getpgid(0) == os.getpid():
        Path(folder, f"{number}.json").write_text(json.dumps(result), encoding="utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _run(order: dict[str, Any]) -> dict[str, Any]:
    from devlint.verify.device_errors import Failure
    from devlint.verify.runner import Program, run_as_main, verify

    _seed(order["seed"])
    text = order["program"]
    program = Program(text=text) if "\n" in text else Program(path=Path(text))
    files = order["fixed_files"]
    texts = None if files is None else (lambda path: files.get(str(path)))
    if order["device"] != "cpu":
        report = verify(
            program,
            order["args"],
            device=order["device"],
            devices=order["devices"],
            time_limit=order["time_limit"],
            texts=texts,
            shared_random_stream=order["same_numbers"],
        )
        data = report.as_dict()
        return {
            "ok": report.failure is None,
            "share": report.share,
            "seconds": report.seconds,
            "error": _error(report.failure),
            "report": data,
        }
    failure, started = None, time.perf_counter()
    try:
        run_as_main(program, order["args"], texts)
    except SystemExit as error:
        failure = Failure.of(error) if error.code not in (None, 0) else None
    except Exception as error:
        failure = Failure.of(error)
    return {"ok": failure is None, "seconds": time.perf_counter() - started, "error": _error(failure)}


def _error(failure: Any) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "type": failure.type,
        "message": failure.message,
        "device_error": failure.device_error,
        "shown": str(failure),
    }


def _seed(seed: int) -> None:
    import random

    import torch

    random.seed(seed)
    torch.manual_seed(seed)
    with contextlib.suppress(ImportError):
        import numpy

        numpy.random.seed(seed)


if __name__ == "__main__":
    from devlint.verify import harness

    harness.serve(Path(sys.argv[1]), Path(sys.argv[2]))

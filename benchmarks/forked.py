"""Run many small Python programs quickly: import the heavy packages once, fork a child for each program.

Importing torch takes seconds and a case of the corpus takes a tenth of one, so two hundred cases are
affordable only when the import is shared. Every child has its own working folder, argument list, standard
streams and process group, and starts from a process that has imported packages and done nothing else.

The programs are forked by a helper process (this file, run as a script), never by the caller, whose threads
a fork would not survive. Needs `os.fork`: Linux, macOS, WSL.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

POLL_SECONDS = 0.005
CHECKER = ("devlint.cli", "devlint.run", "devlint.report.full", "devlint.report.fix_diff", "devlint.rule:all_rules")
"""Preloaded for jobs that run `devlint check`: the command itself imports these when it is used."""
TORCH = ("numpy", "torch", "torch.utils.data", "torch._dynamo")
"""Preloaded for jobs that train: the first step of an optimizer imports torch._dynamo, in nearly two seconds."""


@dataclass(frozen=True, slots=True)
class Job:
    """One program.

    target: a script (`train.py`, relative to `cwd`) or a function without parameters
    (`package.module:function`).
    arguments: what the program finds in `sys.argv[1:]`.
    seed: where it is set, `random`, numpy and torch are seeded with it before the program starts.
    timeout: in seconds; a program that takes longer is killed and has the exit status 124.
    """

    target: str
    cwd: str
    arguments: tuple[str, ...] = ()
    seed: int | None = None
    timeout: float = 120.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job: exit status (negative: the signal that ended it), output, and the time in
    seconds."""

    returncode: int
    stdout: str
    stderr: str
    seconds: float


def run_forked(jobs: Sequence[Job], *, preload: Sequence[str] = (), workers: int = 2) -> list[Outcome]:
    """Run the jobs, `workers` at a time, and return their outcomes in the same order.

    preload: what is imported before the first fork: modules, and functions (`package.module:function`), which
    are also called.
    Raises RuntimeError when the helper process fails, for instance because a preloaded module is missing.
    """
    if not jobs:
        return []
    order = {"jobs": [asdict(job) for job in jobs], "preload": list(preload), "workers": workers}
    helper = subprocess.run(
        [sys.executable, str(Path(__file__).resolve())],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    if helper.returncode != 0:
        raise RuntimeError(f"the forking helper failed: {helper.stderr.strip()[-2000:]}")
    return [Outcome(**outcome) for outcome in json.loads(helper.stdout)]


def main() -> None:
    """Read an order from standard input, carry it out, write the outcomes to standard output."""
    order = json.load(sys.stdin)
    for entry in order["preload"]:
        module, _, function = entry.partition(":")
        loaded = importlib.import_module(module)
        if function:
            getattr(loaded, function)()
    gc.collect()
    gc.freeze()
    jobs = [Job(**{**job, "arguments": tuple(job["arguments"])}) for job in order["jobs"]]
    with tempfile.TemporaryDirectory(prefix="forked-") as scratch:
        outcomes = _carry_out(jobs, order["workers"], Path(scratch))
    json.dump([asdict(outcome) for outcome in outcomes], sys.stdout)


def _carry_out(jobs: Sequence[Job], workers: int, scratch: Path) -> list[Outcome]:
    outcomes: dict[int, Outcome] = {}
    running: dict[int, tuple[int, float]] = {}
    """Process id to the job's index and its start."""
    waiting = list(range(len(jobs)))[::-1]
    while waiting or running:
        while waiting and len(running) < workers:
            index = waiting.pop()
            running[_fork(jobs[index], scratch / str(index))] = (index, time.monotonic())
        for pid, (index, start) in list(running.items()):
            seconds = time.monotonic() - start
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended and seconds <= jobs[index].timeout:
                continue
            if ended:
                returncode = os.waitstatus_to_exitcode(status)
            else:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                returncode = 124
            del running[pid]
            stdout, stderr = (
                (scratch / f"{index}.{stream}").read_text("utf-8", errors="replace") for stream in ("out", "err")
            )
            outcomes[index] = Outcome(returncode, stdout, stderr, seconds)
        time.sleep(POLL_SECONDS)
    return [outcomes[index] for index in range(len(jobs))]


def _fork(job: Job, streams: Path) -> int:
    """Start the job in a child that leads its own process group; the child never returns from here."""
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        with suppress(OSError):  # the child was faster: it has done so itself, or has ended
            os.setpgid(pid, pid)
        return pid
    code = 1
    try:
        os.setpgid(0, 0)
        for number, source in ((0, os.devnull), (1, f"{streams}.out"), (2, f"{streams}.err")):
            handle = os.open(source, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, number)
        code = _be(job)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _be(job: Job) -> int:
    """Become the program: its folder, its arguments, its seed; the exit status that Python would give."""
    os.chdir(job.cwd)
    if job.seed is not None:
        _seed(job.seed)
    sys.path[0] = job.cwd
    module, _, function = job.target.partition(":")
    sys.argv = [job.target if not function else module.partition(".")[0], *job.arguments]
    try:
        if function:
            getattr(importlib.import_module(module), function)()
        else:
            runpy.run_path(job.target, run_name="__main__")
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    return 0


def _seed(seed: int) -> None:
    random.seed(seed)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(seed)
    if (torch := sys.modules.get("torch")) is not None:
        torch.manual_seed(seed)


if __name__ == "__main__":
    main()

"""Runs a program as `python` would run it, on a simulated or a real accelerator, and reports on it."""

from __future__ import annotations

import runpy
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import torch

from devlint.errors import DevlintError
from devlint.verify.accelerator import running_simulation
from devlint.verify.device_errors import Failure
from devlint.verify.fixed_imports import Texts, compile_text, replaced_texts
from devlint.verify.ledger import Ledger
from devlint.verify.model_watch import ModelWatch, watching_models
from devlint.verify.real_device import RealOperators, best_accelerator
from devlint.verify.report import Report, compiled
from devlint.verify.tally import Tally


@dataclass(frozen=True, slots=True)
class Program:
    """A script (a path), a module (`-m`), or a text that stands for a script."""

    path: Path | None = None
    module: str | None = None
    text: str | None = None

    @property
    def name(self) -> str:
        """As a report calls it."""
        return str(self.path) if self.path else f"-m {self.module}" if self.module else "<text>"


class TimeLimitError(BaseException):
    """The program did not end in time. Not an Exception, so that the program does not catch it."""


def verify(
    program: Program | Path | str,
    args: Sequence[str] = (),
    *,
    device: str = "auto",
    devices: int = 1,
    time_limit: float | None = None,
    texts: Texts | None = None,
    shared_random_stream: bool = False,
) -> Report:
    """Run a program and say what ran where.

    program: a path, or a `Program`. args: its command line. device: auto, sim, cuda, mps or xpu. devices:
    how many
    simulated devices. time_limit: seconds. texts: texts that stand for files on disk.
    Raises DevlintError for a program or device that does not exist.
    """
    wanted = program if isinstance(program, Program) else Program(path=Path(program))
    if wanted.path is not None and not wanted.path.is_file():
        raise DevlintError(f"no such file: {wanted.path}")
    kind = chosen_device(device)
    failure: Failure | None = None
    started = time.perf_counter()
    with ExitStack() as stack:
        tally, ledger = stack.enter_context(_backend(kind, devices, shared_random_stream))
        watch: ModelWatch = stack.enter_context(watching_models())
        tally.reset()
        try:
            with _limited(time_limit):
                run_as_main(wanted, args, texts)
        except SystemExit as error:
            if error.code not in (None, 0):
                failure = Failure.of(error)
        except (Exception, KeyboardInterrupt, TimeLimitError) as error:
            failure = Failure.of(error)
        seconds = time.perf_counter() - started
        return compiled(wanted.name, kind, seconds, tally, ledger, watch.never_on_device, failure)


def chosen_device(device: str) -> str:
    """Resolve "auto"; DevlintError for an accelerator that is not there."""
    if device == "sim":
        return "sim"
    found = best_accelerator()
    if device == "auto":
        return found or "sim"
    if device not in ("cuda", "mps", "xpu"):
        raise DevlintError(f"unknown device {device!r}; choose auto, sim, cuda, mps or xpu")
    if device != found:
        raise DevlintError(f"torch sees no {device} device here; use --device sim, or ask devlint doctor why")
    return device


@contextmanager
def _backend(kind: str, devices: int, shared_random_stream: bool) -> Iterator[tuple[Tally, Ledger]]:
    if kind == "sim":
        with running_simulation(devices, shared_random_stream) as simulation:
            yield simulation.tally, simulation.ledger
        return
    tally, ledger = Tally(), Ledger()
    torch.accelerator.reset_peak_memory_stats()
    with RealOperators(tally, ledger):
        yield tally, ledger
    from devlint.verify.ledger import Memory

    for index in range(torch.accelerator.device_count()):
        peak = torch.accelerator.max_memory_allocated(index)
        ledger.memory[torch.device(kind, index)] = Memory(peak, peak)


def run_as_main(program: Program, args: Sequence[str], texts: Texts | None = None) -> None:
    """Execute as `__main__`, with argv and sys.path as `python` sets them."""
    argv, path, main = sys.argv, list(sys.path), sys.modules["__main__"]
    try:
        if program.module is not None:
            sys.argv = [program.module, *args]
            sys.path.insert(0, "")
            runpy.run_module(program.module, run_name="__main__", alter_sys=True)
            return
        name = str(program.path or "<text>")
        folder = program.path.resolve().parent if program.path else Path.cwd()
        sys.argv = [name, *args]
        sys.path.insert(0, str(folder))
        text = (
            program.text
            if program.text is not None
            else texts(program.path.resolve())
            if texts and program.path
            else None
        )
        with replaced_texts(folder, texts):
            _execute(name, program.path, text)
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"] = argv, path, main


def _execute(name: str, path: Path | None, text: str | None) -> None:
    if text is None:
        assert path is not None
        import tokenize

        with tokenize.open(path) as file:
            text = file.read()
    code = compile_text(text, name)
    module = ModuleType("__main__")
    module.__dict__.update({"__file__": name, "__builtins__": __builtins__})
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    if not seconds:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeLimitError(f"the program did not end within {seconds:g} s")

    before: Callable[..., Any] | int | None = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

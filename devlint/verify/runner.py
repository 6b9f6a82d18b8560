"""Running a program on an accelerator and judging the run: `verify`."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from devlint.errors import DevlintError
from devlint.verify.device_errors import ErrorShown, shown
from devlint.verify.devices import chosen, running_on
from devlint.verify.ledger import Ledger
from devlint.verify.program import FixedText, Program

MIN_SHARE = 0.9
RAN, DEVICE_BUG, OTHER_FAILURE = 0, 1, 2
"""Exit codes of `devlint verify`."""


class TimeLimitReached(Exception):
    """The program did not end in the time it was given."""


@dataclass(frozen=True)
class Verdict:
    """What a run showed. `device` is the device it ran on ("sim", "cuda", ...), `share` a part of 1."""

    device: str
    share: float
    min_share: float
    ledger: Ledger
    error: ErrorShown | None

    @property
    def exit_code(self) -> int:
        if self.error is not None:
            return DEVICE_BUG if self.error.device_error else OTHER_FAILURE
        return DEVICE_BUG if self.share < self.min_share else RAN


def verify(
    program: str | Path | Program,
    args: Sequence[str] = (),
    *,
    device: str = "auto",
    sim_devices: int = 1,
    min_share: float = MIN_SHARE,
    time_limit: float | None = None,
    fixed: FixedText | None = None,
    seed: int | None = None,
    own_random_stream: bool = True,
) -> Verdict:
    """Run a program in this process and say where its work was done.

    `time_limit` is in seconds; `fixed` gives the text to run in place of each file's own. The program's exceptions
    become the verdict's `error`; a missing program or device raises DevlintError.
    """
    if not isinstance(program, Program):
        program = Program(str(program), tuple(args))
    device = chosen(device)
    error: BaseException | None = None
    with running_on(device, sim_devices=sim_devices, own_random_stream=own_random_stream) as ledger:
        if seed is not None:
            torch.manual_seed(seed)
        try:
            with _limited(time_limit):
                program.run(fixed)
        except DevlintError as own:
            if type(own) is DevlintError:
                raise
            error = own
        except SystemExit as end:
            error = None if end.code in (None, 0) else end
        except (Exception, KeyboardInterrupt) as failure:
            error = failure
        share = ledger.record.share
    return Verdict(device, share, min_share, ledger, None if error is None else shown(error))


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Stop the block after `seconds`; without limit where signals are not to be had (another thread, Windows)."""
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not seconds or not usable:
        yield
        return

    def stop(*_: object) -> None:
        raise TimeLimitReached(f"no end after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

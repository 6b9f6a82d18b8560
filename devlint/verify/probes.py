"""Running probes, small programs whose first line says what a CUDA machine does with them.

usage: python -m devlint.verify.probes FOLDER [--jobs N] [--only TEXT]

    # expect: ok                           it runs to its end
    # expect: raises TYPE|TYPE "text"      it ends with one of the types, and the text stands in what it prints
    # needs: two-gpu                       run with two simulated devices

Every probe runs in a forked child of one process that has torch loaded, so that 300 take minutes, not an hour.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEAD = re.compile(r"#\s*(expect|topic|needs|slow):\s*(.+?)\s*$")
_RAISES = re.compile(r'raises\s+([\w.|]+)\s+"(.*)"\s*$')


@dataclass(frozen=True)
class Probe:
    """A program and what is expected of it; no `types` where it must run to its end."""

    path: Path
    topic: str
    types: tuple[str, ...]
    text: str
    devices: int

    def failure(self, status: int, output: str) -> str | None:
        """Why the outcome is not the expected one, or None."""
        if not self.types:
            return f"expected to run, exit status {status}" if status else None
        if status == 0:
            return f"no error, expected {'|'.join(self.types)}: {self.text}"
        if self.text.lower() not in output.lower():
            return f"failed without the text {self.text!r}"
        return None if any(t in output for t in self.types) else f"the text, but none of {self.types}"


def probes_in(folder: Path) -> list[Probe]:
    return [_read(path) for path in sorted(folder.glob("*.py")) if path.read_text().startswith("# expect:")]


def _read(path: Path) -> Probe:
    head = dict(found.groups() for line in path.read_text().splitlines()[:5] if (found := _HEAD.match(line)))
    raises = _RAISES.match(head["expect"])
    types = tuple(raises[1].split("|")) if raises else ()
    devices = 2 if head.get("needs") == "two-gpu" else 1
    return Probe(path, head.get("topic", ""), types, raises[2] if raises else "", devices)


def run(probe: Probe, time_limit: float = 60) -> str | None:
    """Run one probe in a forked child; the reason of its failure, or None."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            _in_child(probe, output.fileno())
        status = _wait(child, time_limit)
        output.seek(0)
        text = output.read().decode(errors="replace")
    why = probe.failure(status, text)
    return why and f"{why}\n{text[-1500:]}"


def _in_child(probe: Probe, output: int) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    status = 70
    try:
        from devlint.verify.command import verify_command

        options = ["--device", "sim", "--sim-devices", str(probe.devices), "--min-share", "0"]
        verify_command([*options, str(probe.path)], prog_name="devlint verify")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _wait(child: int, time_limit: float) -> int:
    end = time.monotonic() + time_limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return 124


def run_all(probes: list[Probe]) -> Iterator[tuple[Probe, str | None]]:
    """Load torch once, then run every probe in a child."""
    import devlint.verify.runner

    for probe in probes:
        yield probe, run(probe)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run probes on the simulated accelerator.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only the probes whose name or topic holds this")
    options = parser.parse_args()
    found = [p for p in probes_in(options.folder) if options.only in p.path.name or options.only == p.topic]
    failures = 0
    for probe, why in run_all(found):
        if why is not None:
            failures += 1
            print(f"FAIL {probe.path.name}: {why}\n", flush=True)
    print(f"{len(found) - failures} of {len(found)} probes behave as on a CUDA machine")
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.exit(main())

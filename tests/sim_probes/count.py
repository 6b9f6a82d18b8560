"""How many probes pass on the simulated accelerator, and why the others do not.

usage: count.py [NAME...]     probes whose name holds one of the words
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from devlint.verify.harness import Job, Outcome, run_programs

HERE = Path(__file__).resolve().parent
EXPECTED = re.compile(r"# expect: (?:(ok)|raises ([\w.|]+) \"(.*)\")")


def probes(words: list[str]) -> list[Path]:
    """The probe files, in order."""
    return [
        path
        for path in sorted(HERE.glob("[0-9][0-9][0-9]-*.py"))
        if not words or any(w in path.name for w in words)
    ]


def job(path: Path) -> Job:
    """How a probe is run."""
    return Job(path, time_limit=60, devices=2 if "# needs: two-gpu" in path.read_text() else 1)


def complaint(path: Path, outcome: Outcome) -> str:
    """What is wrong with the outcome; empty where it is as the probe's first line says."""
    match = EXPECTED.match(path.read_text())
    assert match, f"{path.name}: no expectation"
    good, types, text = match.groups()
    error = outcome.error
    if good:
        return f"{error.type}: {error.message}" if error else ""
    if error is None:
        return f"no error; expected {types}: {text}"
    if text.lower() not in error.message.lower() or not any(
        t in error.type + error.message for t in types.split("|")
    ):
        return f"expected {types}: {text}; got {error.type}: {error.message}"
    return ""


def main(words: list[str]) -> int:
    """Print failures and the number."""
    chosen = probes(words)
    bad = 0
    for path, outcome in zip(chosen, run_programs([job(path) for path in chosen]), strict=True):
        if text := complaint(path, outcome):
            bad += 1
            print(f"FAIL {path.name}: {text[:400]}")
            if words and outcome.error:
                print(outcome.error.shown, outcome.stderr[-2000:])
    print(f"{len(chosen) - bad} of {len(chosen)} probes pass")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)

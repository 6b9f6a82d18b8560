"""What only a GPU can settle: the probes, and each rule's two programs, run on the device of `pytest --device`.

`pytest -m gpu --device=cuda` runs them on hardware, `--device=sim` the same tests on the simulator, and
without `--device` they are skipped. Each program is a process of its own.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from test_rule_pages import block
from test_rules_on_an_accelerator import PLACEMENT, RULES
from test_verify_probes import PROBES, count

from devlint.rule import Rule
from devlint.verify.harness import Job, Outcome, run_programs

pytestmark = pytest.mark.gpu

WORKERS = 2


@pytest.fixture(scope="module")
def device(request: pytest.FixtureRequest) -> str:
    chosen = request.config.getoption("--device")
    if chosen in (None, "cpu", "auto"):
        pytest.skip("pytest -m gpu --device=cuda (or sim)")
    return str(chosen)


@pytest.fixture(scope="module")
def devices(device: str) -> int:
    import torch

    return 2 if device == "sim" else torch.accelerator.device_count()


@pytest.fixture(scope="module")
def probed(device: str, devices: int) -> dict[Path, Outcome]:
    jobs = {path: replace(count.job(path), device=device) for path in PROBES if count.job(path).devices <= devices}
    return dict(zip(jobs, run_programs(list(jobs.values()), WORKERS), strict=True))


@pytest.fixture(scope="module")
def pages(device: str) -> dict[tuple[str, str], Outcome]:
    jobs = {
        (rule.code, name): Job(block(rule, name), device)
        for rule in RULES
        for name in ("Example", "Use instead")
        if name == "Use instead" or rule in PLACEMENT
    }
    return dict(zip(jobs, run_programs(list(jobs.values()), WORKERS), strict=True))


@pytest.mark.parametrize("path", PROBES, ids=lambda path: path.stem)
def test_probe(path: Path, probed: dict[Path, Outcome]) -> None:
    if path not in probed:
        pytest.skip("needs two devices")
    assert not count.complaint(path, probed[path])


@pytest.mark.parametrize("rule", PLACEMENT, ids=lambda rule: rule.code)
def test_example_fails(rule: Rule, pages: dict[tuple[str, str], Outcome]) -> None:
    outcome = pages[rule.code, "Example"]
    stayed_home = outcome.ok and outcome.share < 0.9
    assert stayed_home or (outcome.error is not None and outcome.error.device_error), outcome


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_fixed_example_runs(rule: Rule, pages: dict[tuple[str, str], Outcome]) -> None:
    outcome = pages[rule.code, "Use instead"]
    assert outcome.ok and outcome.share >= 0.9, outcome

"""Each rule's page, run on the simulated accelerator: the first program fails or stays on the host, the second runs there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from test_rule_pages import block

from devlint.finding import Severity
from devlint.rule import Rule, all_rules
from devlint.verify.harness import Outcome, run_program

RULES = [rule for rule in all_rules().values() if rule.family != "meta"]
PORTABILITY = [rule for rule in RULES if rule.family == "portability"]
PLACEMENT = [rule for rule in RULES if rule.family in {"data", "models"} and rule.severity is not Severity.NOTE]
"""What a rule of transfers finds runs on an accelerator, only worse."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def explain(outcome: Outcome) -> str:
    return f"ok={outcome.ok} share={outcome.share} error={outcome.error}\n{outcome.stdout}{outcome.stderr}"


@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some examples write files."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("rule", PLACEMENT, ids=lambda rule: rule.code)
def test_example_fails_on_the_accelerator(rule: Rule) -> None:
    outcome = run_program(block(rule, "Example"))
    stayed_home = outcome.ok and outcome.share < 0.9
    failed = outcome.error is not None and (outcome.error.device_error or outcome.error.shown in rule.page)
    assert stayed_home or failed, explain(outcome)


@pytest.mark.parametrize("rule", PORTABILITY, ids=lambda rule: rule.code)
def test_example_fails_without_an_accelerator(rule: Rule) -> None:
    """It stops, or torch warns that it does nothing there; what it keeps in a file comes from a machine that has one."""
    if "torch.save(" in block(rule, "Example"):
        assert run_program(block(rule, "Example")).ok
    outcome = run_program(block(rule, "Example"), device="cpu")
    assert not outcome.ok or "Disabling" in outcome.stderr, explain(outcome)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_fixed_example_runs_on_the_accelerator(rule: Rule) -> None:
    outcome = run_program(block(rule, "Use instead"))
    assert outcome.ok and outcome.share >= 0.9, explain(outcome)


@pytest.mark.parametrize("rule", PORTABILITY, ids=lambda rule: rule.code)
def test_fixed_example_runs_without_an_accelerator(rule: Rule) -> None:
    if "torch.save(" in block(rule, "Use instead"):
        assert run_program(block(rule, "Use instead")).ok
    outcome = run_program(block(rule, "Use instead"), device="cpu")
    assert outcome.ok, explain(outcome)

"""A rule's page cannot lie: its first example raises the rule, `--fix` turns it into the second, and both are run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from devlint.check import Checker
from devlint.finding import Finding, Severity
from devlint.fixes.passes import fix_until_stable
from devlint.rule import Rule, all_rules
from devlint.settings import SettingsFinder, options_from

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from rule_pages import DOCS, pages, stale_pages  # noqa: E402

SECTIONS = ("What it finds", "Why it matters", "Example", "Use instead", "When this is not a bug")
PAIRED = [rule for rule in all_rules().values() if rule.family != "meta"]


def block(rule: Rule, section: str) -> str:
    match = re.search(rf"^## {section}\n+(?:With [^\n]*\n+)?```python\n(.*?)^```", rule.page, re.MULTILINE | re.DOTALL)
    assert match is not None, f"{rule.code} has no fenced block under '{section}'"
    return match[1]


def checker(path: Path, rule: Rule) -> Checker:
    """Checks with the settings that the line above the example names: "With `key = value` and `key = value`:".

    A rule that is off by default is asked for.
    """
    line = re.search(r"^## Example\n+With (.*):$", rule.page, re.MULTILINE)
    settings = re.findall(r"`([^`]+)`", line[1]) if line is not None else []
    more = {} if rule.default else {"extend-select": (rule.code,)}
    return Checker([path], SettingsFinder({**options_from({}, settings), **more}, isolated=True))


def loud(findings: list[Finding], rule: Rule) -> list[Finding]:
    return [finding for finding in findings if finding.severity is not Severity.NOTE or finding.code == rule.code]


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.code)
def test_page_has_every_section(rule: Rule) -> None:
    assert rule.summary
    assert "TODO" not in rule.page
    for section in SECTIONS:
        assert f"\n## {section}\n" in rule.page, f"{rule.code} lacks '{section}'"


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.code)
def test_example_raises_exactly_its_rule(rule: Rule, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(block(rule, "Example"))
    found = loud(checker(program, rule).check().findings, rule)
    assert {finding.code for finding in found} == {rule.code}


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.code)
def test_fix_turns_the_example_into_the_second_block(rule: Rule, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(block(rule, "Example"))
    safe = fix_until_stable(checker(program, rule))
    fixed = safe if safe.changed else fix_until_stable(checker(program, rule), unsafe=True)
    if not safe.changed:
        assert "## Fix safety" in rule.page, f"{rule.code} has no safe fix and does not say why"
    if not fixed.changed:
        program.write_text(block(rule, "Use instead"))
        assert loud(checker(program, rule).check().findings, rule) == []
        return
    assert fixed.changed[program].text == block(rule, "Use instead")
    assert loud(fixed.outcome.findings, rule) == []


@pytest.mark.skipif(not DOCS.is_dir(), reason="the pages stand in the repository")
def test_printed_pages_say_what_the_rules_say() -> None:
    assert stale_pages(DOCS, pages()) == [], "run python benchmarks/rule_pages.py"

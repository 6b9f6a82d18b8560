"""What several test modules share: a rule that needs no analysis, and the command line in this process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import devlint.rule
from devlint.analysis.project import Project
from devlint.cli import cli
from devlint.context import Context
from devlint.finding import Applicability, Edit, Finding, Fix, Severity, Span
from devlint.rule import Rule
from devlint.source.text import Source

Invoke = Callable[..., Result]


@dataclass(frozen=True)
class Toy:
    """A fact: the word `toy`, `toy_unsafe`, `toy_crash`, ... stands here."""

    span: Span
    word: str


def toys_in(project: Project, source: Source) -> Mapping[Path, Sequence[object]]:
    """Every toy word of a file; `elsewhere(NAME)` is a fact about the toys in the file NAME beside it."""
    import libcst

    libcst.parse_module(source.text)
    facts: dict[Path, Sequence[object]] = {source.path: _toys(source.text)}
    for match in re.finditer(r"elsewhere\((\w+)\)", source.text):
        other = source.path.with_name(f"{match[1]}.py")
        facts[other] = [Toy(Span(0, 6), "toy_note")]
    if "analysis_crash" in source.text:
        raise RuntimeError("the analysis is broken")
    return facts


def _toys(text: str) -> list[Toy]:
    return [Toy(Span(match.start(), match.end()), match[0]) for match in re.finditer(r"\btoy\w*", text)]


@pytest.fixture
def toy_rule(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rule]:
    """The analysis replaced by one that sees toys; the rule DVL909 that reports and fixes them, and no other."""
    rule = Rule("DVL909", "toy-left-out", severity=Severity.WARNING, since="0.1", page="A toy.\n")

    @rule.on(Toy)
    def toy_left_out(toy: Toy, context: Context) -> Iterator[Finding]:
        if toy.word == "toy_crash":
            raise KeyError("the rule is broken")
        severity = {"toy_note": Severity.NOTE, "toy_error": Severity.ERROR}.get(toy.word, rule.severity)
        level = Applicability.UNSAFE if toy.word == "toy_unsafe" else Applicability.SAFE
        text = {"toy_broken": "((", "toy_wide": "'\u4e16'", "toy_twice": "toy"}.get(toy.word, "box")
        fix = Fix("put the toy in the box", (Edit(toy.span.start, toy.span.end, text),), level)
        yield Finding(
            rule.code, rule.name, f"`{toy.word}` left out", severity, context.path, toy.span, "left here", fix=fix
        )

    kept = {code: known for code, known in devlint.rule.all_rules().items() if code.startswith("DVL9")}
    rules = dict(sorted({**kept, rule.code: rule}.items()))
    monkeypatch.setattr("devlint.rule.all_rules", lambda: rules)
    monkeypatch.setattr("devlint.selection.all_rules", lambda: rules)
    monkeypatch.setattr(Project, "facts", toys_in)
    monkeypatch.setattr("devlint.fixes.prove.proven", lambda findings, *_: list(findings))
    yield rule


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run a devlint command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "DEVLINT_OUTPUT_FORMAT", "GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, arguments, input=stdin, prog_name="devlint")

    return run

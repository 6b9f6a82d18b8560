"""Suppression comments: where they hold, and what is said about those that do nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.finding import Finding, Fix, Severity, Span
from devlint.fixes.apply import apply_fixes
from devlint.source.suppressions import (
    Problem,
    UnusedSuppression,
    read_suppressions,
    suppress,
    suppressions_without_reason,
    unused_suppressions,
)
from devlint.source.text import Source

CODES = {
    "DVL101": "DVL101",
    "cuda-call": "DVL101",
    "DVL201": "DVL201",
    "batch-not-moved": "DVL201",
    "DVL902": "DVL902",
}


def judged(text: str, code: str = "DVL101") -> tuple[list[str], list[UnusedSuppression]]:
    """The lines whose `bug` is still reported, and what is wrong with the comments."""
    source = Source.from_bytes(Path("a.py"), text.encode())
    findings = [
        Finding(code, "cuda-call", "", Severity.ERROR, source.path, Span(offset, offset + 3))
        for offset in range(len(source.text))
        if source.text.startswith("bug", offset)
    ]
    comments = read_suppressions(source)
    kept, used = suppress(source, findings, comments, CODES)
    reported = [source.line(source.position(finding.span.start).row).strip() for finding in kept]
    return reported, list(unused_suppressions(comments, used, CODES, {"DVL101", "DVL201", "DVL902"}))


def cleaned(text: str, code: str = "DVL101") -> str:
    """The text without what is unused."""
    _, problems = judged(text, code)
    fixes = [Fix("", problem.edits) for problem in problems if problem.edits]
    return apply_fixes(text, fixes, "\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "bug()  # devlint: ignore[DVL101] only NVIDIA here\n",
        "bug()  # devlint: ignore[cuda-call]\n",
        "bug()  # devlint: ignore[DVL201, DVL101]\n",
        "bug()  #devlint:ignore[dvl101]\n",
        "bug()  # type: ignore  # devlint: ignore[DVL101]\n",
        "bug()  # devlint: ignore[DVL101] see #12  # type: ignore\n",
        "# devlint: ignore[DVL101] only NVIDIA here\nbug()\n",
        "# devlint: ignore[DVL101]\n# and another comment\nbug()\n",
        "f(\n    bug,\n    1,  # devlint: ignore[DVL101]\n)\n",
        "f(\n    bug,\n)  # devlint: ignore[DVL101]\n",
        "f(  # devlint: ignore[DVL101]\n    bug,\n)\n",
        "# devlint: ignore[DVL101]\nf(\n    1,\n    bug,\n)\n",
        "x = 1 + \\\n    bug()  # devlint: ignore[DVL101]\n",
        "def f():\n    # devlint: ignore[DVL101]\n    bug()\n",
        "bug()  # noqa: DVL101\n",
        "bug()  # NOQA:E501,DVL101\n",
        "bug()  # noqa: E501 DVL101 long line\n",
        "f(\n    bug,\n)  # noqa: DVL101\n",
        "# devlint: file-ignore[DVL101] a demo\nx = 1\n\n\nbug()\n",
        "bug()\n\nx = 1  # devlint: file-ignore[DVL101]\n",
        "x = 1\r\nbug()  # devlint: ignore[DVL101]\r\n",
        "x = 1\rbug()  # devlint: ignore[DVL101]\r",
        "bug()  # devlint: ignore[DVL101]",
    ],
)
def test_suppressed(text: str) -> None:
    reported, problems = judged(text)
    assert reported == []
    assert [problem for problem in problems if problem.words != ("DVL201",)] == []


@pytest.mark.parametrize(
    "text",
    [
        "bug()  # devlint: ignore[DVL201]\n",
        "bug()  # devlint: ignore\n",
        "bug()  # devlint: ignore DVL101\n",
        "bug()  # devlint: ignore[DVL1]\n",
        "bug()  # devlint: disable=DVL101\n",
        "bug()  # noqa\n",
        "bug()  # noqa: E501\n",
        "# noqa: DVL101\nbug()\n",
        "# devlint: ignore[DVL101]\n\nbug()\n",
        "x = 1  # devlint: ignore[DVL101]\nbug()\n",
        "bug()\n# devlint: ignore[DVL101]\n",
        "for x in y:  # devlint: ignore[DVL101]\n    bug()\n",
        "x = '# devlint: ignore[DVL101]'; bug()\n",
        "x = '''\n# devlint: file-ignore[DVL101]\n'''\nbug()\n",
    ],
)
def test_not_suppressed(text: str) -> None:
    reported, _ = judged(text)
    assert len(reported) == 1


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "x = 1  # noqa\n",
        "x = 1  # noqa: E501\n",
        "x = 1  # noqa: E501, F401 because\n",
        "x = 1  # devlint: the linter for devices\n",
        "# see devlint: ignoring the batch\n",
        "x = '# devlint: ignore[DVL999]'\n",
        "x = 1  # devlint: ignore[DVL902]\n",
    ],
)
def test_nothing_to_say(text: str) -> None:
    assert judged(text)[1] == []


@pytest.mark.parametrize(
    ("text", "problem", "words"),
    [
        ("x = 1  # devlint: ignore[DVL101]\n", Problem.UNUSED, ("DVL101",)),
        ("x = 1  # devlint: ignore[cuda-call, DVL201]\n", Problem.UNUSED, ("cuda-call", "DVL201")),
        ("# devlint: file-ignore[DVL101]\nx = 1\n", Problem.UNUSED, ("DVL101",)),
        ("x = 1  # noqa: DVL101\n", Problem.UNUSED, ("DVL101",)),
        ("x = 1  # devlint: ignore[DVL999]\n", Problem.UNKNOWN, ("DVL999",)),
        ("x = 1  # devlint: ignore[E501]\n", Problem.UNKNOWN, ("E501",)),
        ("x = 1  # noqa: DVL999\n", Problem.UNKNOWN, ("DVL999",)),
        ("x = 1  # devlint: ignore\n", Problem.BLANKET, ()),
        ("x = 1  # devlint: ignore[]\n", Problem.BLANKET, ()),
        ("x = 1  # devlint: file-ignore\n", Problem.BLANKET, ()),
        ("x = 1  # devlint: noqa\n", Problem.BLANKET, ()),
        ("x = 1  # devlint: disable=DVL101\n", Problem.BLANKET, ()),
    ],
)
def test_comments_that_do_nothing(text: str, problem: Problem, words: tuple[str, ...]) -> None:
    [found] = judged(text)[1]
    assert (found.problem, found.words) == (problem, words)
    assert bool(found.edits) == (problem is Problem.UNUSED)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("x = 1  # devlint: ignore[DVL101] why\n", "x = 1\n"),
        ("x = 1  # devlint: ignore[DVL101] why", "x = 1"),
        ("y = 1\n    # devlint: ignore[DVL101]\nx = 1\n", "y = 1\nx = 1\n"),
        ("# devlint: ignore[DVL101]\r\nx = 1\r\n", "x = 1\r\n"),
        ("bug()  # devlint: ignore[DVL101, DVL201]\n", "bug()  # devlint: ignore[DVL101]\n"),
        ("bug()  # devlint: ignore[DVL201, DVL101] why\n", "bug()  # devlint: ignore[DVL101] why\n"),
        (
            "bug()  # devlint: ignore[DVL201, DVL101, batch-not-moved]\n",
            "bug()  # devlint: ignore[DVL101]\n",
        ),
        ("x = 1  # type: ignore  # devlint: ignore[DVL101]\n", "x = 1  # type: ignore\n"),
        ("x = 1  # devlint: ignore[DVL101] why # type: ignore\n", "x = 1  # type: ignore\n"),
        ("x = 1  # noqa: DVL101\n", "x = 1\n"),
        ("x = 1  # noqa: E501, DVL101\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: DVL101, E501\n", "x = 1  # noqa: E501\n"),
        ("# devlint: file-ignore[DVL101]\n", ""),
    ],
)
def test_the_fix_removes_just_what_is_unused(text: str, left: str) -> None:
    assert cleaned(text) == left
    assert cleaned(left) == left


def test_a_rule_that_is_off_leaves_its_comments_alone() -> None:
    source = Source.from_bytes(Path("a.py"), b"x = 1  # devlint: ignore[DVL101]\n")
    assert list(unused_suppressions(read_suppressions(source), set(), CODES, {"DVL201"})) == []


def test_code_that_cannot_be_tokenized() -> None:
    assert judged("x = (\nbug()  # devlint: ignore[DVL101]\n# devlint: ignore[DVL101]\nbug()\n")[0] == []


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("# devlint: ignore[DVL101]", ("DVL101",)),
        ("# devlint: ignore[cuda-call, DVL201] .", ("cuda-call", "DVL201")),
        ("# devlint: file-ignore[DVL101]", ("DVL101",)),
        ("# noqa: DVL101, E501", ("DVL101",)),
        ("# devlint: ignore[DVL101]  # type: ignore", ("DVL101",)),
        ("# devlint: ignore[DVL101] only NVIDIA here", None),
        ("# devlint: ignore[DVL101] see #12  # type: ignore", None),
        ("# noqa: DVL101 the lab has only NVIDIA cards", None),
        ("# noqa: E501", None),
        ("# devlint: ignore", None),
    ],
)
def test_a_suppression_without_a_reason(comment: str, words: tuple[str, ...] | None) -> None:
    source = Source.from_bytes(Path("a.py"), f"bug()  {comment}\n".encode())
    facts = list(suppressions_without_reason(read_suppressions(source), CODES))
    assert [fact.words for fact in facts] == ([words] if words is not None else [])

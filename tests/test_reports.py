"""What the output formats look like."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from devlint.finding import Applicability, Edit, Finding, Fix, Place, Severity, Span
from devlint.report.formats import Look, render
from devlint.report.github import step_summary, workspace_path
from devlint.source.text import Source

TRAIN = """\
import torch
model = Net().to(device)


for inputs, labels in train_loader:
    loss = model(inputs)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def source(name: str = "train.py", text: str = TRAIN) -> Source:
    return Source.from_bytes(Path.cwd() / name, text.encode())


def span(text: str, of: Source, after: str = "") -> Span:
    start = of.text.index(text, of.text.index(after))
    return Span(start, start + len(text))


def finding(of: Source, **more: object) -> Finding:
    values: dict[str, object] = {
        "code": "DVL902",
        "name": "unused-suppression",
        "message": "batch never moved",
        "severity": Severity.ERROR,
        "path": of.path,
        "span": span("inputs, labels", of) if "inputs" in of.text else Span(0, 1),
    } | more
    return Finding(**values)  # type: ignore[arg-type]


def full(*findings: Finding, sources: list[Source], **look: bool) -> str:
    return render("full", findings, {one.path: one for one in sources}, Look(**look))  # type: ignore[arg-type]


def test_full_tells_the_story() -> None:
    one, other = source(), source("nets.py", "class Net:\n    pass\n")
    text = "\n    inputs, labels = inputs.to(device), labels.to(device)"
    end = one.line_span(5).end
    story = finding(
        one,
        label="these stay on the host",
        consequence="on a GPU machine: RuntimeError: two devices",
        related=(
            Place(one.path, span("model", one, "loss"), "and meet the model here"),
            Place(one.path, span("Net().to(device)", one), "on `device` from here"),
            Place(other.path, span("Net", other), "the model"),
            Place(Path("/gone.py"), Span(0, 1), "left out"),
        ),
        fix=Fix("move the batch", (Edit(end, end, text),)),
    )
    assert full(story, sources=[one, other]) == dedent("""\
        train.py:5:5: DVL902 [*] batch never moved
          |
        2 | model = Net().to(device)
          |         ---------------- on `device` from here
          :
        5 | for inputs, labels in train_loader:
          |     ^^^^^^^^^^^^^^ these stay on the host
        6 |     loss = model(inputs)
          |            ----- and meet the model here
          |
         --> nets.py:1:7
          |
        1 | class Net:
          |       --- the model
          |
          = on a GPU machine: RuntimeError: two devices
          = fix (safe): move the batch
          |
        5 | for inputs, labels in train_loader:
        6 +     inputs, labels = inputs.to(device), labels.to(device)
          |
          = devlint rule DVL902

        Found 1 finding (1 error, 0 warnings, 0 notes).
        [*] 1 fixable with --fix.
        """)


def test_full_shows_the_line_between_near_lines_and_numbers_of_one_width() -> None:
    text = "".join(f"line{row}\n" for row in range(1, 12))
    one = source(text=text)
    story = finding(one, span=span("line9", one), related=(Place(one.path, span("line11", one), "there"),))
    assert full(story, sources=[one], summary=False) == dedent("""\
        train.py:9:1: DVL902 batch never moved
           |
         9 | line9
           | ^^^^^
        10 | line10
        11 | line11
           | ------ there
           |
           = devlint rule DVL902

        """)


def test_full_shows_replaced_rows_and_gaps_of_a_fix() -> None:
    one = source()
    edits = (Edit(0, 0, "import os\n"), Edit(*_ends(span("model(inputs)", one)), "model(\n        inputs\n    )"))
    report = full(finding(one, fix=Fix("x", edits, Applicability.UNSAFE)), sources=[one], summary=False)
    assert (
        dedent("""\
          = fix (unsafe): x
          |
        1 + import os
        2 | import torch
          :
        6 | for inputs, labels in train_loader:
        6 -     loss = model(inputs)
        7 +     loss = model(
        8 +         inputs
        9 +     )
          |
        """).replace("  = fix", "  = fix")
        in report
    )


def _ends(one: Span) -> tuple[int, int]:
    return one.start, one.end


def test_full_keeps_carets_under_tabs_and_wide_characters() -> None:
    one = source(text="\tx = '世界'; bug\n")
    lines = full(finding(one, span=span("bug", one)), sources=[one]).splitlines()
    assert lines[2] == "1 |     x = '世界'; bug"
    assert lines[3] == "  |     " + " " * len("x = 'WWWW'; ") + "^^^"


def test_full_marks_a_place_of_several_rows_on_its_first() -> None:
    one = source(text="x = f(\n    1,\n)\n")
    lines = full(finding(one, span=Span(4, len(one.text) - 1)), sources=[one]).splitlines()
    assert lines[2:4] == ["1 | x = f(", "  |     ^^"]


def test_full_shows_no_control_characters_and_no_endless_row() -> None:
    one = source(text="x = '\x1b[31m" + "a" * 5000 + "'; bug; " + "b" * 5000 + "\n")
    report = full(finding(one, span=span("bug", one)), sources=[one])
    assert "\x1b" not in report
    shown = report.splitlines()[2]
    assert len(shown) < 200
    assert "…" in shown and "bug" in shown
    marked = report.splitlines()[3]
    assert shown[marked.index("^") : marked.index("^") + 3] == "bug"


def test_full_of_the_empty_file_and_of_its_end() -> None:
    one = source(text="")
    assert full(finding(one, span=Span(0, 0)), sources=[one]).splitlines()[3] == "  | ^"


def test_colours_are_made_of_the_same_words() -> None:
    import re

    one = source()
    story = finding(one, label="here")
    colored = full(story, sources=[one], color=True)
    assert "\x1b[1;31m" in colored
    assert "https://devlint.readthedocs.io/rules/unused-suppression/" in colored
    plain = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in plain.splitlines()] == full(story, sources=[one]).splitlines()


@pytest.mark.parametrize(
    ("levels", "unsafe", "lines"),
    [
        ([], False, ["Found 1 finding (0 errors, 1 warning, 0 notes)."]),
        (["safe"], False, ["[*] 1 fixable with --fix."]),
        (["safe", "unsafe", "unsafe", "display"], False, ["[*] 1 fixable with --fix (2 more with --unsafe-fixes)."]),
        (["safe", "unsafe"], True, ["[*] 2 fixable with --fix."]),
        (["unsafe"], False, ["1 fixable with --fix --unsafe-fixes."]),
    ],
)
def test_summary(levels: list[str], unsafe: bool, lines: list[str]) -> None:
    one = source()
    fixes = [Fix("", (Edit(0, 0, "x"),), Applicability(level)) for level in levels] or [None]
    findings = [finding(one, severity=Severity.WARNING, fix=fix) for fix in fixes]
    text = render("concise", findings, {one.path: one}, Look(unsafe=unsafe))
    assert text.splitlines()[-1:] == lines


def test_concise() -> None:
    one = source("a b.py")
    text = render("concise", [finding(one, message="two\nlines")], {one.path: one}, Look(summary=False))
    assert text == "a b.py:5:5: DVL902 two lines\n"
    assert render("concise", [], {}, Look()) == "All checks passed!\n"
    assert render("full", [], {}, Look(fixed=2)) == "Fixed 2 findings. All checks passed!\n"
    assert render("full", [], {}, Look(summary=False)) == ""


def test_json() -> None:
    one = source(text="é = 1\nbug\n")
    fix = Fix("x", (Edit(6, 9, "ok\n"),), Applicability.UNSAFE)
    related = (Place(one.path, Span(0, 1), "made here"),)
    [row] = json.loads(
        render("json", [finding(one, span=Span(6, 9), fix=fix, related=related)], {one.path: one}, Look())
    )
    assert row == {
        "code": "DVL902",
        "name": "unused-suppression",
        "message": "batch never moved",
        "severity": "error",
        "url": "https://devlint.readthedocs.io/rules/unused-suppression/",
        "filename": str(one.path),
        "cell": None,
        "location": {"row": 2, "column": 1},
        "end_location": {"row": 2, "column": 4},
        "fix": {
            "applicability": "unsafe",
            "message": "x",
            "edits": [
                {
                    "content": "ok\n",
                    "location": {"row": 2, "column": 1},
                    "end_location": {"row": 2, "column": 4},
                }
            ],
        },
        "noqa_row": 2,
        "related": [
            {
                "filename": str(one.path),
                "location": {"row": 1, "column": 1},
                "end_location": {"row": 1, "column": 2},
                "message": "made here",
            }
        ],
    }
    assert render("json", [], {}, Look()) == "[]\n"


def test_statistics() -> None:
    one = source()
    fix = Fix("", (Edit(0, 0, "x"),))
    findings = [finding(one), finding(one, fix=fix), finding(one, code="DVL901", name="syntax-error")]
    text = render("full", findings, {one.path: one}, Look(summary=False), statistics=True)
    assert text == "2  DVL902 [*] unused-suppression\n1  DVL901 [ ] syntax-error\n"
    rows = json.loads(render("json", findings, {one.path: one}, Look(), statistics=True))
    assert rows[0] == {"code": "DVL902", "name": "unused-suppression", "count": 2, "fixable": 1}


def github(*findings: Finding, sources: list[Source]) -> list[str]:
    return render("github", findings, {one.path: one for one in sources}, Look()).splitlines()


def test_github_escapes() -> None:
    one = source("a,b:c%d.py")
    message = "100%\r\nsure: yes, it is"
    [line, *_] = github(finding(one, message=message), sources=[one])
    assert line == (
        "::error file=a%2Cb%3Ac%25d.py,line=5,col=5,endLine=5,endColumn=19,"
        "title=devlint DVL902 (unused-suppression)::"
        "a,b:c%25d.py:5:5: DVL902 100%25%0D%0Asure: yes, it is"
    )


def test_github_gives_no_columns_over_rows() -> None:
    one = source()
    [line, *_] = github(finding(one, span=Span(0, 20), severity=Severity.NOTE), sources=[one])
    assert line.startswith("::notice file=train.py,line=1,endLine=2,title=")


def test_github_shows_ten_of_a_kind_errors_first_and_the_text_of_all() -> None:
    one = source()
    warnings = [finding(one, severity=Severity.WARNING) for _ in range(12)]
    lines = github(*warnings, finding(one), sources=[one])
    commands = [line.partition(" ")[0] for line in lines if line.startswith("::")]
    assert commands == ["::error"] + ["::warning"] * 10
    assert lines[11].startswith("2 findings without an annotation")
    assert len([line for line in lines if line.startswith("train.py:5:5: DVL902")]) == 13


def test_no_file_name_becomes_a_command() -> None:
    one = source("::error ::x.py")
    assert [line for line in github(finding(one), sources=[one]) if line.startswith("::error ::")] == []


def test_paths_from_the_workspace_else_from_the_git_root(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = here / "repo" / "a" / "b"
    deep.mkdir(parents=True)
    (here / "repo" / ".git").mkdir()
    monkeypatch.chdir(deep)
    assert workspace_path(deep / "x.py") == "a/b/x.py"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(here))
    assert workspace_path(deep / "x.py") == "repo/a/b/x.py"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(deep))
    assert workspace_path(here / "x.py") == (here / "x.py").as_posix()


def test_the_step_summary_fits() -> None:
    one = source()
    table = step_summary([finding(one, message="a | b")], {one.path: one})
    assert "| error | DVL902 unused-suppression | train.py:5 | a \\| b |" in table
    assert step_summary([], {}) == "### devlint\n\nNo findings.\n"
    big = step_summary([finding(one, message="x" * 1000)] * 2000, {one.path: one})
    assert len(big.encode()) < 1024 * 1024
    assert "more in the log" in big

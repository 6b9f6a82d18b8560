"""The pipeline: what is read, what is found, what is fixed, and what happens when something breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devlint.check import LARGEST_FILE, Checker, Outcome, files_to_check, fixed_text
from devlint.fixes.passes import Fixed, fix_until_stable
from devlint.rule import Rule
from devlint.settings import SettingsFinder


def write(root: Path, **texts: str | bytes) -> None:
    for name, text in texts.items():
        data = text if isinstance(text, bytes) else text.encode()
        (root / f"{name}.py").write_bytes(data)


def checker(root: Path, **settings: object) -> Checker:
    finder = SettingsFinder({key.replace("_", "-"): value for key, value in settings.items()})
    return Checker(files_to_check([root], finder), finder)


def check(root: Path, **settings: object) -> Outcome:
    return checker(root, **settings).check()


def fixed(root: Path, unsafe: bool = False) -> Fixed:
    return fix_until_stable(checker(root), unsafe=unsafe)


def places(outcome: Outcome) -> list[str]:
    return [
        f"{finding.path.stem}:{outcome.sources[finding.path].position(finding.span.start).row} {finding.code}"
        for finding in outcome.findings
    ]


def test_findings_sorted_by_file_and_place(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, b="import torch\ntoy\n", a="import torch\ntoy\ntoy\n")
    assert places(check(tmp_path)) == ["a:2 DVL909", "a:3 DVL909", "b:2 DVL909"]


def test_a_utf_16_file_is_not_passed_over(tmp_path: Path) -> None:
    write(tmp_path, a="import torch\n".encode("utf-16"))
    [finding] = check(tmp_path).findings
    assert finding.code == "DVL901" and "UTF-16" in finding.message


def test_files_without_the_word_torch_are_not_looked_at(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="toy toy is no Python", b=b"\xff\xf0", c="")
    outcome = check(tmp_path)
    assert (outcome.findings, outcome.sources, outcome.failures) == ([], {}, [])


def test_findings_in_other_files_only_when_those_are_checked(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\nelsewhere(z)\nelsewhere(z)\n", c="import torch\nelsewhere(z)\n", z="torch\n")
    assert places(check(tmp_path)) == ["z:1 DVL909"]
    assert places(Checker([tmp_path / "a.py"], SettingsFinder()).check()) == []


def test_comments_are_settled_after_all_files(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="torch  # devlint: ignore[DVL909] a caller needs it\n", z="import torch\nelsewhere(a)\n")
    assert check(tmp_path).findings == []


def test_suppression_and_unused_suppression(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\ntoy  # devlint: ignore[toy-left-out] mine\nx = 1  # devlint: ignore[DVL909]\n")
    assert places(check(tmp_path)) == ["a:3 DVL902"]
    assert places(check(tmp_path, ignore=("DVL902",))) == []
    assert places(check(tmp_path, ignore=("DVL909",))) == []


def test_reasons_are_asked_for_where_that_is_selected(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\ntoy  # devlint: ignore[DVL909]\ntoy  # devlint: ignore[DVL909] mine\n")
    assert places(check(tmp_path)) == []
    assert places(check(tmp_path, extend_select=("DVL903",))) == ["a:2 DVL903"]
    write(tmp_path, a="# devlint: file-ignore[DVL903]\nimport torch\ntoy  # devlint: ignore[DVL909]\n")
    assert places(check(tmp_path, extend_select=("DVL903",))) == []


def test_unused_suppressions_can_be_kept(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="# devlint: file-ignore[DVL902]\nimport torch  # devlint: ignore[DVL909]\n")
    assert check(tmp_path).findings == []


def test_per_file_ignores_hold_in_the_file_of_the_finding(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\ntoy\n", b="import torch\ntoy\n")
    (tmp_path / "devlint.toml").write_text('per-file-ignores = { "a.py" = ["DVL909"] }')
    assert places(check(tmp_path)) == ["b:2 DVL909"]


@pytest.mark.parametrize(
    ("text", "row", "column", "words"),
    [
        ("import torch\nprint 'x'\n", 2, 1, "Python 2"),
        ("import torch\nraise ValueError, 'x'\n", 2, 17, "Python 2"),
        ("import torch\ndef f(:\n    pass\n", 2, 7, "invalid syntax"),
        ("import torch\nx = 1\x00\n", 2, 6, "null byte"),
        (b"import torch\nx = '\xe9'\n", 2, 6, "not utf-8: byte 0xe9"),
        (b"# coding: nonsense\nimport torch\n", 1, 1, "encoding"),
    ],
)
def test_files_that_are_no_python(
    tmp_path: Path, toy_rule: Rule, text: str | bytes, row: int, column: int, words: str
) -> None:
    write(tmp_path, a=text)
    outcome = check(tmp_path)
    [finding] = outcome.findings
    assert finding.code == "DVL901"
    assert words in finding.message
    assert outcome.sources[finding.path].position(finding.span.start) == (row, column)


def test_syntax_errors_are_reported_whatever_is_selected(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\n(\n")
    assert places(check(tmp_path, select=("DVL909",))) != []
    assert places(check(tmp_path, ignore=("DVL901",))) == []


def test_a_large_file_is_skipped_with_a_warning(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\n" + "x = [" + "1, " * (LARGEST_FILE * 5 // 3) + "]\n", b="toy" * LARGEST_FILE)
    outcome = check(tmp_path)
    assert outcome.findings == []
    [warning] = outcome.warnings
    assert "a.py: skipped: 10.0 MB" in warning


def test_an_unreadable_file_is_a_failure_and_the_others_go_on(
    tmp_path: Path, toy_rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, a="import torch\ntoy\n", b="import torch\ntoy\n")
    real = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.name == "a.py":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    outcome = check(tmp_path)
    assert places(outcome) == ["b:2 DVL909"]
    assert "a.py: cannot be read: Permission denied" in outcome.failures[0]


def test_a_crash_in_a_rule_or_the_analysis_stops_neither_rules_nor_files(tmp_path: Path, toy_rule: Rule) -> None:
    write(
        tmp_path,
        a="import torch\ntoy_crash  # devlint: ignore[DVL909] not called unused\n# devlint: ignore\n",
        b="import torch\nanalysis_crash\n",
        c="import torch\ntoy\n",
    )
    outcome = check(tmp_path)
    assert places(outcome) == ["c:2 DVL909"]
    assert [failure.rpartition("/")[2] for failure in outcome.failures] == [
        "a.py: internal error in rule DVL909: KeyError: 'the rule is broken'",
        "b.py: internal error in the analysis: RuntimeError: the analysis is broken",
    ]
    assert len(outcome.tracebacks) == 2


def test_fixing(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a=b"\xef\xbb\xbfimport torch\r\ntoy = toy\r\nx = 1  # devlint: ignore[DVL909]\r\n")
    done = fixed(tmp_path)
    assert done.changed[tmp_path / "a.py"].data == b"\xef\xbb\xbfimport torch\r\nbox = box\r\nx = 1\r\n"
    assert (done.count, done.outcome.findings) == (3, [])
    assert (tmp_path / "a.py").read_bytes().startswith(b"\xef\xbb\xbfimport torch\r\ntoy")


def test_fixing_goes_on_until_nothing_changes(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\ntoy_twice\n")
    done = fixed(tmp_path)
    assert done.changed[tmp_path / "a.py"].text == "import torch\nbox\n"
    assert done.count == 2


def test_unsafe_fixes_only_when_asked_for(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\ntoy_unsafe\n")
    assert fixed(tmp_path).changed == {}
    assert fixed(tmp_path, unsafe=True).changed[tmp_path / "a.py"].text == "import torch\nbox\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [("import torch\ntoy_broken\n", "would break the file"), ("# coding: latin-1\nimport torch\ntoy_wide\n", "has no")],
)
def test_a_fix_that_cannot_be_written_leaves_the_file_alone(
    tmp_path: Path, toy_rule: Rule, text: str, words: str
) -> None:
    write(tmp_path, a=text, b="import torch\ntoy\n")
    done = fixed(tmp_path)
    assert set(done.changed) == {tmp_path / "b.py"}
    assert words in done.outcome.failures[0]


def test_fixed_text(tmp_path: Path, toy_rule: Rule) -> None:
    write(tmp_path, a="import torch\ntoy, toy_unsafe\n")
    assert fixed_text(tmp_path / "a.py") == "import torch\nbox, toy_unsafe\n"
    assert fixed_text(tmp_path / "a.py", unsafe=True) == "import torch\nbox, box\n"


def test_only_what_a_fix_can_touch_is_analysed_again(
    tmp_path: Path, toy_rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    from devlint.analysis.project import Project

    write(
        tmp_path,
        engine="import torch\ntoy\n",
        train="import torch, engine\n",
        main="import torch, train\n",
        other="import torch\ntoy_note  # devlint: ignore[DVL909]\n",
    )
    analysed: list[str] = []
    real = Project.facts

    def facts(project: Project, source: Any) -> Any:
        analysed.append(source.path.stem)
        return real(project, source)

    monkeypatch.setattr(Project, "facts", facts)
    done = fixed(tmp_path)
    assert analysed == ["engine", "main", "other", "train", "engine", "main", "train"]
    assert places(done.outcome) == []

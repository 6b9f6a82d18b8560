"""The command line: exit codes, streams, bad input, and what is not imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Invoke

from devlint import __version__
from devlint.rule import Rule

TOYS = "import torch\ntoy\n"


MAIN = "from devlint.cli import main; main()"


def run(*arguments: str, cwd: Path, code: str = MAIN) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def toys(tmp_path: Path, toy_rule: Rule) -> Path:
    file = tmp_path / "a.py"
    file.write_text(TOYS)
    return file


def test_clean(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")
    result = invoke("check")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "All checks passed!\n", "")


def test_findings(invoke: Invoke, toys: Path) -> None:
    result = invoke("check", "--output-format", "concise")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "a.py:2:1: DVL909 [*] `toy` left out",
        "Found 1 finding (0 errors, 1 warning, 0 notes).",
        "[*] 1 fixable with --fix.",
    ]


def test_quiet_prints_findings_only(invoke: Invoke, toys: Path) -> None:
    assert invoke("check", "-q", "--output-format", "concise").stdout == "a.py:2:1: DVL909 [*] `toy` left out\n"
    toys.write_text("")
    result = invoke("check", "-q")
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize(
    ("word", "options", "code"),
    [
        ("toy_note", [], 0),
        ("toy_note", ["--fail-on", "note"], 1),
        ("toy", [], 1),
        ("toy", ["--fail-on", "error"], 0),
        ("toy_error", ["--fail-on", "error"], 1),
        ("toy_error", ["--fail-on", "never"], 0),
        ("toy_error", ["--exit-zero"], 0),
        ("toy_crash", ["--exit-zero"], 2),
        ("toy", ["--ignore", "DVL909"], 0),
        ("toy", ["--select", "DVL901"], 0),
        ("toy", ["--select", "DVL901,toy-left-out"], 1),
        ("toy", ["--config", "ignore=['DVL909']"], 0),
        ("toy", ["--exclude", "a.py"], 0),
        ("toy", ["--fix"], 0),
        ("toy_unsafe", ["--fix"], 1),
        ("toy_unsafe", ["--fix", "--unsafe-fixes"], 0),
        ("toy", ["--diff"], 1),
        ("toy_unsafe", ["--diff"], 0),
        ("toy_broken", ["--fix"], 2),
    ],
)
def test_exit_codes(invoke: Invoke, toys: Path, word: str, options: list[str], code: int) -> None:
    toys.write_text(f"import torch\n{word}\n")
    assert invoke("check", *options).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "gone.py"], "gone.py: no such file or folder"),
        (["check", "--select", "DVL9011"], "--select: unknown rule `DVL9011`; did you mean `DVL901`?"),
        (["check", "--ignore", "sintax-error"], "--ignore: unknown rule `sintax-error`; did you mean `syntax-error`?"),
        (["check", "--config", "selct=[]"], "unknown key `selct`; did you mean `select`?"),
        (["check", "--config", "gone.toml"], "--config: no such file: gone.toml"),
        (["check", "--output-format", "jsn"], "--output-format: expected one of full, concise, json, github"),
        (["check", "--fail-on", "eror"], "did you mean `error`?"),
        (["check", "--target-torch", "new"], "--target-torch: expected a version"),
        (["check", "--output-file", "no/such/folder"], "--output-file: no/such/folder: No such file or directory"),
        (["check", "-", "a.py"], "name no other paths beside it"),
        (["rule", "DVL9011"], "unknown rule `DVL9011`; did you mean `DVL901`?"),
        (["config", "selct"], "unknown key `selct`; did you mean `select`?"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(invoke: Invoke, arguments: list[str], words: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    [line] = [line for line in result.stderr.splitlines() if "no Python files" not in line]
    assert line.startswith("devlint: error: ")
    assert words in line
    assert result.stdout == ""


def test_invalid_toml_is_one_line(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text("select = [\n")
    result = invoke("check")
    assert result.exit_code == 2
    assert result.stderr.startswith("devlint: error: devlint.toml: invalid TOML: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["check", "--nonsense"], ["chek"], ["rule"], ["rule", "DVL901", "--all"]])
def test_usage_errors(invoke: Invoke, arguments: list[str]) -> None:
    assert invoke(*arguments).exit_code == 2


def test_no_files_is_a_warning(invoke: Invoke) -> None:
    result = invoke("check")
    assert result.exit_code == 0
    assert result.stderr == "devlint: warning: no Python files found under the given paths\n"


def test_notebooks_are_passed_over(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("torch {")
    result = invoke("check", "a.ipynb")
    assert result.exit_code == 0
    assert "notebooks are not checked yet: 1 skipped" in result.stderr


def test_json_goes_out_alone(invoke: Invoke, toys: Path) -> None:
    [row] = json.loads(invoke("check", "--output-format", "json").stdout)
    assert (row["code"], row["filename"]) == ("DVL909", str(toys))
    toys.write_text("")
    assert invoke("check", "--output-format", "json").stdout == "[]\n"


def test_the_format_from_the_environment(invoke: Invoke, toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVLINT_OUTPUT_FORMAT", "json")
    assert invoke("check").stdout.startswith("[")


def test_output_file(invoke: Invoke, toys: Path, tmp_path: Path) -> None:
    result = invoke("check", "--output-format", "json", "-o", "report.json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert json.loads((tmp_path / "report.json").read_text())


def test_statistics(invoke: Invoke, toys: Path) -> None:
    assert invoke("check", "--statistics").stdout.startswith("1  DVL909 [*] toy-left-out\n")


def test_show_files(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/a.py", "a.py", "c.txt"):
        (tmp_path / name).write_text("")
    assert invoke("check", "--show-files").stdout == "a.py\nb/a.py\n"


def test_verbose_says_what_is_done(invoke: Invoke, toys: Path) -> None:
    toys.write_text("import torch\ntoy_crash\n")
    stderr = invoke("check", "-v").stderr
    assert "1 files, settings from the defaults" in stderr
    assert "Traceback (most recent call last)" in stderr
    assert "Traceback" not in (quiet := invoke("check").stderr)
    assert "a.py: internal error in rule DVL909: KeyError" in quiet
    assert "please report internal errors" in quiet


def test_colours(invoke: Invoke, toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in invoke("check").stdout
    assert "\x1b[" in invoke("check", "--color", "always").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in invoke("check").stdout
    assert "\x1b[" not in invoke("check", "--no-color").stdout
    assert "\x1b[" not in invoke("check", "-o", "report.txt").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in invoke("check").stdout


def test_fix(invoke: Invoke, toys: Path) -> None:
    result = invoke("check", "--fix")
    assert (result.exit_code, result.stdout) == (0, "Fixed 1 finding. All checks passed!\n")
    assert toys.read_text() == "import torch\nbox\n"
    assert invoke("check", "--fix").stdout == "All checks passed!\n"


def test_fix_does_not_write_over_another_change(
    invoke: Invoke, toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from devlint.fixes import passes

    (tmp_path / "b.py").write_text(TOYS)
    real = passes.fix_until_stable

    def meanwhile(*arguments: object, **options: object) -> passes.Fixed:
        done = real(*arguments, **options)  # type: ignore[arg-type]
        toys.write_text("their change\n")
        return done

    monkeypatch.setattr(passes, "fix_until_stable", meanwhile)
    result = invoke("check", "--fix")
    assert result.exit_code == 2
    assert "a.py: changed since devlint read it" in result.stderr
    assert "Fixed 1 finding." in result.stdout, "what could not be written is not counted"
    assert toys.read_text() == "their change\n"
    assert (tmp_path / "b.py").read_text() == "import torch\nbox\n"


def test_diff(invoke: Invoke, toys: Path) -> None:
    result = invoke("check", "--diff")
    assert result.stdout == "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n import torch\n-toy\n+box\n"
    assert result.stderr == "Would apply 1 fix.\n"
    assert toys.read_text() == TOYS


def test_standard_input(invoke: Invoke, toy_rule: Rule) -> None:
    result = invoke("check", "-", "--output-format", "concise", "--stdin-filename", "pkg/a.py", stdin=TOYS)
    assert result.exit_code == 1
    assert result.stdout.startswith("pkg/a.py:2:1: DVL909")


def test_standard_input_fixed(invoke: Invoke, toy_rule: Rule, tmp_path: Path) -> None:
    crlf = b"import torch\r\ntoy, toy_unsafe\r\n"
    result = invoke("check", "-", "--fix", "--output-format", "concise", stdin=crlf)
    assert result.stdout_bytes == b"import torch\r\nbox, toy_unsafe\r\n"
    assert result.stderr.startswith("stdin.py:2:6: DVL909 `toy_unsafe`")
    assert result.exit_code == 1
    assert invoke("check", "-", "--diff", stdin=TOYS).stdout.startswith("--- stdin.py\n+++ stdin.py\n@@")
    assert list(tmp_path.iterdir()) == []


def test_standard_input_that_is_excluded_comes_back_as_it_was(invoke: Invoke, toy_rule: Rule) -> None:
    result = invoke("check", "-", "--fix", "--force-exclude", "--stdin-filename", "build/a.py", stdin=TOYS)
    assert (result.exit_code, result.stdout) == (0, TOYS)


def test_standard_input_that_is_no_text(invoke: Invoke) -> None:
    result = invoke("check", "-", "--fix", "--output-format", "concise", stdin=b"import torch\nx = '\xe9'\n")
    assert result.exit_code == 1
    assert result.stdout_bytes == b"import torch\nx = '\xe9'\n"
    assert "stdin.py:2:6: DVL901" in result.stderr


def test_github_step_summary(invoke: Invoke, toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    result = invoke("check", "--output-format", "github")
    assert result.stdout.startswith("::warning file=a.py,line=2,col=1,endLine=2,endColumn=4,title=devlint DVL909")
    assert "| warning | DVL909 toy-left-out | a.py:2 |" in (tmp_path / "summary.md").read_text()


def test_rule(invoke: Invoke) -> None:
    text = invoke("rule", "DVL901").stdout
    assert text.startswith("DVL901 syntax-error (error, meta, on by default, since 0.1)\n")
    sections = [line for line in text.splitlines() if line.startswith("## ")]
    assert sections == [
        "## What it finds",
        "## Why it matters",
        "## Example",
        "## Use instead",
        "## When this is not a bug",
        "## Fix safety",
    ]
    assert invoke("rule", "syntax-error").stdout == text
    row = json.loads(invoke("rule", "DVL902", "--output-format", "json").stdout)
    assert (row["code"], row["summary"], row["family"]) == ("DVL902", "Unused suppression comment", "meta")
    every = json.loads(invoke("rule", "--all", "--output-format", "json").stdout)
    assert {"DVL901", "DVL902"} <= {row["code"] for row in every}


def test_config(invoke: Invoke, tmp_path: Path) -> None:
    import tomllib

    (tmp_path / "devlint.toml").write_text('per-file-ignores = { "a.py" = ["DVL901"] }\ntarget-torch = "2.9"\n')
    text = invoke("config").stdout
    assert text.startswith("# configuration file: devlint.toml\n")
    table = tomllib.loads(text)
    assert table["per-file-ignores"] == {"a.py": ["DVL901"]}
    assert table["target-torch"] == "2.9"
    assert table["replace"] == {} == table["allow-paths"]
    (tmp_path / "devlint.toml").write_text(text)
    assert invoke("config").stdout == text
    assert 'default: "warning"\nhere:    "warning"\n' in invoke("config", "fail-on").stdout


def test_version(invoke: Invoke) -> None:
    assert invoke("version").stdout == invoke("--version").stdout == f"devlint {__version__}\n"


def test_commands_that_are_not_there_are_not_listed(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlint.cli._LAZY", {"verify": ("devlint.no_such_module", "command")})
    assert "verify" not in invoke("--help").stdout
    assert invoke("verify").exit_code == 2


IMPORTED = """
import sys
from devlint.cli import main
try:
    main()
finally:
    print([name for name in ("libcst", "rich", "torch", "pathspec") if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "text", "imported"),
    [
        (["--version"], "", "[]"),
        (["check", "--isolated"], "import numpy\n", "['pathspec']"),
        (["check", "--isolated"], "import torch\nx = torch.zeros(3)\n", "['libcst', 'pathspec']"),
        (["check", "--isolated", "--fix"], "import torch\nprint 'x'\n", "['libcst', 'pathspec']"),
    ],
)
def test_nothing_is_imported_before_it_is_needed(
    tmp_path: Path, arguments: list[str], text: str, imported: str
) -> None:
    (tmp_path / "a.py").write_text(text)
    assert run(*arguments, cwd=tmp_path, code=IMPORTED).stderr.splitlines()[-1] == imported


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"module_{number}.py").write_text("import torch\n" + "x = 1  # devlint: ignore\n" * 50)
    command = f"{sys.executable} -m devlint check --isolated | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "DVL902" in done.stdout


def test_a_large_generated_file_takes_no_time(tmp_path: Path) -> None:
    (tmp_path / "generated.py").write_text("import torch\n" + "x = [1, 2, 3]\n" * 750_000)
    result = run("check", "--isolated", cwd=tmp_path)
    assert result.returncode == 0
    assert "generated.py: skipped: 10.5 MB" in result.stderr


def test_bad_files_are_findings_not_crashes(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"import torch\nx = '\xe9'\n")
    (tmp_path / "old.py").write_text("import torch\nprint torch.zeros(3)\n")
    (tmp_path / "empty.py").write_text("")
    os.symlink(tmp_path, tmp_path / "loop")
    result = run("check", "--isolated", "--output-format", "concise", cwd=tmp_path)
    assert result.returncode == 1
    assert [line.partition(" ")[0] for line in result.stdout.splitlines()[:2]] == ["latin.py:2:6:", "old.py:2:1:"]
    assert "looks like Python 2" in result.stdout
    assert result.stderr == ""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the super-user may read everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")
    (tmp_path / "a.py").chmod(0)
    result = run("check", "--isolated", cwd=tmp_path)
    assert result.returncode == 2
    assert "a.py: cannot be read: Permission denied" in result.stderr

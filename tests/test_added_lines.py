"""`--diff-base`: only what stands on new lines is reported."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Invoke

from devlint.source.added_lines import added_lines

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

OLD = """\
import torch


def old(x):
    return x.cuda()


def kept(x):
    return x
"""
NEW = OLD.replace("    return x\n", "    return x.cuda()\n")


def git(folder: Path, *arguments: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True, env=environment)


@pytest.fixture
def repository(invoke: Invoke, tmp_path: Path) -> Path:
    """A repository with one committed file, and the branch `work` that has left `main`."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "train.py").write_text(OLD)
    git(tmp_path, "add", "train.py")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "checkout", "-qb", "work")
    return tmp_path


def places(invoke: Invoke) -> list[str]:
    """Place and code of each finding since `main`."""
    run = invoke("check", "--isolated", "--output-format", "concise", "--diff-base", "main")
    assert run.exit_code in (0, 1), run.stderr
    return [" ".join(line.split()[:2]) for line in run.stdout.splitlines() if ".py:" in line]


def test_what_was_there_before_is_left_alone(invoke: Invoke, repository: Path) -> None:
    assert places(invoke) == []
    assert invoke("check", "--isolated", "--diff-base", "main").exit_code == 0
    assert invoke("check", "--isolated").exit_code == 1


@pytest.mark.parametrize("committed", [False, True])
def test_a_new_line_is_reported(invoke: Invoke, repository: Path, committed: bool) -> None:
    (repository / "train.py").write_text(NEW)
    if committed:
        git(repository, "commit", "-qam", "second")
    assert places(invoke) == ["train.py:9:14: DVL101"]


def test_a_line_that_moved_is_not_new(invoke: Invoke, repository: Path) -> None:
    (repository / "train.py").write_text("# a comment\n# another\n" + OLD)
    git(repository, "mv", "train.py", "moved.py")
    git(repository, "commit", "-qam", "second")
    assert places(invoke) == []


def test_what_the_other_branch_did_meanwhile_does_not_count(invoke: Invoke, repository: Path) -> None:
    git(repository, "checkout", "-q", "main")
    (repository / "train.py").write_text(OLD.replace("    return x.cuda()\n", "    return x\n"))
    git(repository, "commit", "-qam", "meanwhile")
    git(repository, "checkout", "-q", "work")
    assert places(invoke) == []


def test_a_file_that_git_does_not_know_is_new(invoke: Invoke, repository: Path) -> None:
    (repository / "other.py").write_text(OLD)
    assert places(invoke) == ["other.py:5:14: DVL101"]


def test_an_old_line_is_reported_where_a_new_one_makes_it_wrong(invoke: Invoke, repository: Path) -> None:
    program = (
        "import torch\nfrom torch import nn\n\nmodel = nn.Linear(3, 3)\nbatch = torch.ones(3)\nprint(model(batch))\n"
    )
    (repository / "late.py").write_text(program)
    git(repository, "add", "late.py")
    git(repository, "commit", "-qm", "late")
    git(repository, "branch", "-qf", "main")
    (repository / "late.py").write_text(
        program.replace(
            "batch =",
            'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\nmodel.to(device)\nbatch =',
        )
    )
    assert "late.py:7:9: DVL204" in places(invoke)


def test_a_changed_file_that_does_not_parse_is_reported(invoke: Invoke, repository: Path) -> None:
    (repository / "train.py").write_text(OLD + "\n# torch\n" + "x = (\n")
    assert [place.split()[1] for place in places(invoke)] == ["DVL901"]


def test_names_with_blanks_and_other_letters(repository: Path) -> None:
    (repository / "naïve train.py").write_text("x = 1\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "names")
    (repository / "naïve train.py").write_text("x = 1\n++ x\n-- x\ny = 2")
    (repository / "train.py").write_text(NEW)
    added = added_lines("HEAD", repository)
    assert {place: sorted(rows) for place, rows in added.rows.items()} == {"naïve train.py": [2, 3, 4], "train.py": [9]}


def test_in_a_folder_below_the_root(invoke: Invoke, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "src").mkdir()
    (repository / "src" / "train.py").write_text(OLD)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    monkeypatch.chdir(repository / "src")
    assert places(invoke) == ["train.py:5:14: DVL101"]
    git(repository, "branch", "-qf", "main")
    assert places(invoke) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--diff-base", "nowhere"], "git knows no revision `nowhere`; fetch it first"),
        (["--diff-base=--output=x"], "git knows no revision"),
        (["--diff-base", "main", "--fix"], "leave out --fix"),
        (["--diff-base", "main", "-"], "leave out --fix, --diff and `-`"),
    ],
)
def test_what_cannot_be_compared(invoke: Invoke, repository: Path, arguments: list[str], words: str) -> None:
    run = invoke("check", *arguments)
    assert (run.exit_code, len(run.stderr.splitlines())) == (2, 1)
    assert words in run.stderr


def test_outside_a_repository(invoke: Invoke, tmp_path: Path) -> None:
    run = invoke("check", "--diff-base", "main")
    assert (run.exit_code, "is in no git repository" in run.stderr) == (2, True)

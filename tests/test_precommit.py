"""The pre-commit hooks, run by the real pre-commit against a throw-away git repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
BAD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randint(0, 2, (8,))), batch_size=4)
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, labels in loader:
    loss = nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
IN_THE_HOOK = ("devlint", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which git and pre-commit read and write nothing of the user's."""
    home = tmp_path_factory.mktemp("home")
    git = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "PRE_COMMIT", "PYTHONPATH"))}
    identity = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "devlint"), ("EMAIL", "devlint@example.org"))
    }
    config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return {**git, **identity, **config, "PRE_COMMIT_HOME": str(home / "pre-commit"), "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def hook_repository(tmp_path_factory: pytest.TempPathFactory, surroundings: dict[str, str]) -> Path:
    """This repository as pre-commit would clone it, uncommitted changes included."""
    if subprocess.run([sys.executable, "-m", "pre_commit", "--version"], capture_output=True).returncode:
        pytest.skip("needs pre-commit")
    root = tmp_path_factory.mktemp("hooks") / "devlint"
    root.mkdir()
    for name in IN_THE_HOOK:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, root / name)
    _commit(root, surroundings)
    return root


def test_the_hooks_report_fix_and_pass(tmp_path: Path, hook_repository: Path, surroundings: dict[str, str]) -> None:
    program = tmp_path / "train.py"
    program.write_text(BAD, "utf-8")
    _commit(tmp_path, surroundings)

    report = _try(hook_repository, "devlint", tmp_path, surroundings)
    assert report.returncode == 1, report.stdout + report.stderr
    assert "train.py:9:" in report.stdout
    assert "DVL201" in report.stdout
    assert program.read_text("utf-8") == BAD

    fix = _try(hook_repository, "devlint-fix", tmp_path, surroundings)
    assert fix.returncode == 1, "pre-commit fails a hook that changes a file"
    assert "files were modified by this hook" in fix.stdout
    assert "inputs.to(device)" in program.read_text("utf-8")

    for hook in ("devlint", "devlint-fix"):
        again = _try(hook_repository, hook, tmp_path, surroundings)
        assert again.returncode == 0, again.stdout + again.stderr


def test_the_hooks_skip_a_repository_without_python(
    tmp_path: Path, hook_repository: Path, surroundings: dict[str, str]
) -> None:
    (tmp_path / "notes.txt").write_text("model.cuda()\n", "utf-8")
    _commit(tmp_path, surroundings)
    run = _try(hook_repository, "devlint", tmp_path, surroundings)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Skipped" in run.stdout


def _commit(repository: Path, surroundings: dict[str, str]) -> None:
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "All of it"]):
        subprocess.run(["git", *command], cwd=repository, env=surroundings, check=True, capture_output=True)


def _try(hooks: Path, hook: str, repository: Path, surroundings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "try-repo", str(hooks), hook, "--all-files", "--verbose"],
        cwd=repository,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=600,
    )

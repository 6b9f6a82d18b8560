"""What `devlint check --explain-flow` shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.errors import DevlintError
from devlint.explain_flow import explain_flow

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)


def run(net, batch):
    out = net(batch)
    return out


for x in DataLoader(torch.ones(4, 3)):
    y = x.to(device)
    run(model, y)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def rows(text: str) -> dict[str, str]:
    return {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines()[3:] if line.strip()}


def test_each_name_has_a_kind_a_place_and_a_reason(program: Path) -> None:
    shown = rows(explain_flow(f"{program}:15", color=False))
    assert shown["x"] == "batch host loader of program.py:14"
    assert shown["y"] == "batch device (falls back to the CPU) loader of program.py:14, moved since"
    assert shown["model"].startswith("module torch.nn.Linear device (falls back to the CPU) made at program.py:6")
    assert "run" not in shown


def test_a_function_is_shown_for_the_call_that_ran_it(program: Path) -> None:
    text = explain_flow(f"{program}:10", color=False)
    assert "in run, called at program.py:16" in text
    assert rows(text)["batch"].startswith("batch device")


def test_a_line_without_a_statement(program: Path) -> None:
    assert "no statement of this line is run" in explain_flow(f"{program}:4", color=False)


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ("program.py", "expected FILE:LINE"),
        ("program.py:x", "expected FILE:LINE"),
        ("program.py:0", "expected FILE:LINE"),
        ("program.py:99", "has 17 lines"),
        ("missing.py:1", "cannot be read"),
        ("broken.py:1", "is not Python"),
    ],
)
def test_bad_places(program: Path, place: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.parent)
    Path("broken.py").write_text("def f(:\n")
    with pytest.raises(DevlintError, match=complaint):
        explain_flow(place, color=False)

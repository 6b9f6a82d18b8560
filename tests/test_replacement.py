"""A project's own table of replacements, and the files that may go round it."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.check import Checker
from devlint.errors import DevlintError
from devlint.fixes.passes import fix_until_stable
from devlint.replacement import Replacement, replacement_of
from devlint.settings import SettingsFinder

CONFIGURATION = """\
select = ["DVL110"]
allow-paths = { DVL110 = ["platform/*"] }

[replace]
"torch.cuda.synchronize" = { with = "platform.synchronize", import = "import platform", message = "go by the platform" }
"torch.distributed.*" = "groups"
"torch.cuda.Stream" = { message = "the scheduler owns streams" }
"""
PROGRAM = """\
from torch import cuda
from torch.distributed import barrier
import torch.distributed as dist


def step() -> None:
    cuda.synchronize()
    barrier()
    dist.all_reduce(1)
    torch = cuda.Stream
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "devlint.toml").write_text(CONFIGURATION)
    (tmp_path / "platform").mkdir()
    for name in ("train.py", "platform/cuda.py"):
        (tmp_path / name).write_text(PROGRAM)
    return tmp_path


def test_names_are_found_through_their_imports(project: Path) -> None:
    outcome = Checker([project / "train.py"], SettingsFinder()).check()
    assert [finding.message for finding in outcome.findings] == [
        "`torch.distributed.barrier`: the project uses `groups.barrier`",
        "`torch.cuda.synchronize`: go by the platform",
        "`torch.distributed.barrier`: the project uses `groups.barrier`",
        "`torch.distributed.all_reduce`: the project uses `groups.all_reduce`",
        "`torch.cuda.Stream`: the scheduler owns streams",
    ]


def test_allowed_files_are_left_alone(project: Path) -> None:
    assert Checker([project / "platform" / "cuda.py"], SettingsFinder()).check().findings == []


def test_an_unsafe_fix_brings_its_import(project: Path) -> None:
    train = project / "train.py"
    assert not fix_until_stable(Checker([train], SettingsFinder())).changed
    text = fix_until_stable(Checker([train], SettingsFinder()), unsafe=True).changed[train].text
    assert "import platform\n" in text and "    platform.synchronize()\n" in text
    assert "    barrier()\n" in text, "a twin that nothing imports is no fix"


def test_an_attribute_of_anything(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text(
        'select = ["DVL110"]\n[replace]\n"*.is_cuda" = { message = "ask the platform" }\n"*.pin_memory" = {message = "no"}\n'
    )
    train = tmp_path / "train.py"
    train.write_text(
        "import torch\n\n\ndef step(batch, store):\n    if batch.is_cuda or store[0].data.is_cuda:\n"
        "        return batch.pin_memory()\n    is_cuda = torch.ones(3).is_cuda\n    return is_cuda\n"
    )
    outcome = Checker([train], SettingsFinder()).check()
    rows = [outcome.sources[train].position(finding.span.start).row for finding in outcome.findings]
    assert rows == [5, 5, 6, 7]
    assert {finding.message for finding in outcome.findings} == {"`.is_cuda`: ask the platform", "`.pin_memory`: no"}
    assert not any(finding.fix for finding in outcome.findings)


def test_the_longest_line_wins() -> None:
    table = (
        Replacement("torch.*", "a"),
        Replacement("*.is_available", message="a long one"),
        Replacement("torch.cuda.*", "b"),
        Replacement("torch.cuda.is_available", "c"),
    )
    names = ("torch.ones", "torch.cuda.Stream", "torch.cuda.is_available", "numpy.ones")
    rows = [replacement_of(name, table) for name in names]
    assert [row and row.twin for row in rows] == ["a", "b", "c", None]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('synchronize = "x"', "expected a dotted name"),
        ('"*" = "x"', "expected a dotted name"),
        ('"*.cuda.x" = "y"', "expected a dotted name"),
        ('"*.is_cuda" = "on_accelerator"', "write a `message` instead of a twin"),
        ('"torch.cuda.x" = 3', "expected the twin's name"),
        ('"torch.cuda.x" = { wiht = "y" }', "unknown key `wiht`"),
        ('"torch.cuda.x" = "a b"', "not a Python expression"),
        ('"torch.cuda.x" = { with = "y", import = "y = 3" }', "not an import statement"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, line: str, complaint: str) -> None:
    (tmp_path / "devlint.toml").write_text(f"[replace]\n{line}\n")
    with pytest.raises(DevlintError, match=complaint) as caught:
        SettingsFinder().of(tmp_path)
    assert "\n" not in str(caught.value)

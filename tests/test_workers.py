"""Work shared by several processes comes to the same as in one."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from devlint.check import Checker, Outcome, _project, _Run
from devlint.settings import SettingsFinder
from devlint.source.text import Source
from devlint.workers import FILES_FOR_TWO, each


def _double(number: int) -> int:
    return 2 * number


def _fail(number: int) -> int:
    raise ValueError(f"number {number}")


def test_results_come_in_order() -> None:
    numbers = list(range(3 * FILES_FOR_TWO))
    assert list(each(_double, numbers, 2)) == [2 * number for number in numbers] == list(each(_double, numbers, 1))


def test_an_error_in_a_process_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="number 0"):
        list(each(_fail, list(range(FILES_FOR_TWO)), 2))


def test_two_processes_find_and_fix_what_one_does(tmp_path: Path) -> None:
    for number in range(FILES_FOR_TWO + 5):
        text = "import torch\nx = torch.zeros(3).cuda()\n" if number % 2 else "import torch\ndef f(:\n"
        (tmp_path / f"m{number:03}.py").write_text(text)
    files = sorted(tmp_path.iterdir())
    one, two = (Checker(files, SettingsFinder(isolated=True), jobs=jobs).check() for jobs in (1, 2))
    assert len(one.findings) == len(files)
    assert one.findings == two.findings
    assert one.failures == two.failures == []


def test_what_a_process_needs_can_be_sent_to_it(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import torch\nx = torch.zeros(3).cuda()\n")
    sources = {path: Source.read(path)}
    run = _Run(SettingsFinder(isolated=True), sources, {}, _project([path], sources), Outcome())
    copy = pickle.loads(pickle.dumps(run))
    assert [finding.code for finding in copy.analysed(sources[path]).findings] == ["DVL101"]

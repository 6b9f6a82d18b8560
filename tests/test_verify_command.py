"""`devlint verify`: exit codes, what a device error looks like, reports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.verify.harness import run_program

GOOD = "import torch\nmodel = torch.nn.Linear(4, 2).to('cuda')\nprint(model(torch.ones(3, 4, device='cuda')).shape)\n"
BAD = "import torch\nmodel = torch.nn.Linear(4, 2).to('cuda')\nbatch = torch.ones(3, 4)\nmodel(batch)\n"
HOST = "import torch\nprint(torch.nn.Linear(4, 2)(torch.ones(3, 4)).shape)\n"


def verify(folder: Path, text: str, *options: str, args: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    script = folder / "program.py"
    script.write_text(text)
    command = [sys.executable, "-m", "devlint.verify", "--device", "sim", *options, "program.py", *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)


def test_a_program_on_the_device_exits_0(tmp_path: Path) -> None:
    done = verify(tmp_path, GOOD)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "torch.Size([3, 2])\n"
    assert "100.0% of floating-point operations" in done.stderr


def test_a_device_error_exits_1_and_shows_user_lines_and_operands(tmp_path: Path) -> None:
    done = verify(tmp_path, BAD)
    assert done.returncode == 1
    assert 'program.py", line 4, in <module>\n    model(batch)' in done.stderr
    assert "torch/nn" not in done.stderr
    assert "float32[3, 4] on cpu, created at program.py:3" in done.stderr
    assert "float32[4, 2] on cuda:0, created at program.py:2, last moved at program.py:2" in done.stderr


def test_a_program_on_the_host_exits_1_and_names_the_line(tmp_path: Path) -> None:
    done = verify(tmp_path, HOST)
    assert done.returncode == 1
    assert "below the required 90%" in done.stderr and "program.py:2" in done.stderr
    assert "only called on the host" in done.stderr
    assert verify(tmp_path, HOST, "--min-share", "0").returncode == 0


def test_another_failure_exits_2_with_its_whole_traceback(tmp_path: Path) -> None:
    done = verify(tmp_path, "raise KeyError('x')\n")
    assert done.returncode == 2 and "KeyError: 'x'" in done.stderr


def test_usage_exits_2(tmp_path: Path) -> None:
    assert subprocess.run([sys.executable, "-m", "devlint.verify"], capture_output=True).returncode == 2
    missing = subprocess.run([sys.executable, "-m", "devlint.verify", "none.py"], capture_output=True, text=True)
    assert missing.returncode == 2 and "no such file" in missing.stderr


def test_arguments_and_siblings_are_the_programs(tmp_path: Path) -> None:
    (tmp_path / "sibling.py").write_text("VALUE = 7\n")
    done = verify(tmp_path, "import sys, sibling\nprint(sys.argv, sibling.VALUE, __name__)\n", args=("--lr", "1"))
    assert done.stdout == "['program.py', '--lr', '1'] 7 __main__\n"


def test_a_time_limit_stops_the_program(tmp_path: Path) -> None:
    done = verify(tmp_path, "import time\nwhile True:\n    time.sleep(0.1)\n", "--time-limit", "1")
    assert done.returncode == 2 and "did not end within 1 s" in done.stderr


def test_exit_status_of_the_program(tmp_path: Path) -> None:
    assert verify(tmp_path, "import sys\nsys.exit(0)\n", "--min-share", "0").returncode == 0
    assert verify(tmp_path, "import sys\nsys.exit(3)\n").returncode == 2


def test_json_report(tmp_path: Path) -> None:
    done = verify(tmp_path, GOOD, "--report", "json", "-o", "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert done.returncode == 0 and report["share"] == 1 and report["flops"]["accelerator"] == 48
    assert report["transfers"][0]["line"] == 2 and report["transfers"][0]["bytes"] == 40


def test_html_report_is_self_contained(tmp_path: Path) -> None:
    verify(tmp_path, GOOD, "--report", "html", "-o", "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>") and "http" not in page and "<script" not in page
    assert "torch.nn.Linear(4, 2)" in page and 'class="timeline"' in page


def test_importing_devlint_verify_does_not_import_torch() -> None:
    check = (
        "import sys, devlint.verify, devlint.verify.command, devlint.verify.harness; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0


@pytest.mark.parametrize("device", ["sim", "cpu"])
def test_harness_runs_texts_that_stand_for_files(tmp_path: Path, device: str) -> None:
    (tmp_path / "part.py").write_text("raise RuntimeError('not fixed')\n")
    (tmp_path / "main.py").write_text("import part\n")
    fixed = {tmp_path / "part.py": "VALUE = 1\n", tmp_path / "main.py": "import part\nprint(part.VALUE)\n"}
    outcome = run_program(tmp_path / "main.py", device=device, fixed_files=fixed)
    assert outcome.ok and outcome.stdout == "1\n", outcome.error


def test_harness_same_numbers() -> None:
    text = (
        "import torch\nd = 'cuda' if torch.cuda.is_available() else 'cpu'\nx = "
        "torch.randn(3)\nprint(torch.dropout(torch.ones(9, device=d), 0.5, True).tolist(), x)\n"
    )
    assert run_program(text, same_numbers=True).stdout == run_program(text, device="cpu").stdout
    assert run_program(text).stdout != run_program(text, device="cpu").stdout

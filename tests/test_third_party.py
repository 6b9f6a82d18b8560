"""Rules of other packages: the example package is built, installed and used, and broken ones are named."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parent / "plugin_example"
PROGRAM = """\
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()

for step in range(3):
    print(torch.ones(3, device=args.device).sum().item())
    torch.cuda.empty_cache()
"""
RULE = """\
from devlint.finding import Severity
from devlint.rule import Rule

RULE = Rule({code!r}, {name!r}, severity=Severity.NOTE, since="1")
"""
BROKEN_RULE = """\
from devlint.analysis.facts import CudaLiteral
from devlint.finding import Severity
from devlint.rule import Rule

RULE = Rule("ACME101", "acme-literal", severity=Severity.NOTE, since="1")


@RULE.on(CudaLiteral)
def broken(fact, ctx):
    raise KeyError("the rule is broken")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package, built by its own pyproject.toml and unpacked as an installer would."""
    if importlib.util.find_spec("build") is None or not _setuptools_can_build_alone():
        pytest.skip("needs build, and setuptools 77, to build without a network: pip install -e '.[dev]'")
    root = tmp_path_factory.mktemp("example")
    shutil.copytree(EXAMPLE, root / "source", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check"]
    run = subprocess.run([*command, "--outdir", root, root / "source"], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    (wheel,) = root.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(root / "site")
    return root / "site"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one program in which the example package has something to find."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(PROGRAM)
    return folder


def devlint(site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run devlint in a folder, in an environment that has what `site` holds."""
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "devlint", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def codes(site: Path, folder: Path, *arguments: str) -> set[str]:
    """The codes that `devlint check` reports."""
    run = devlint(site, folder, "check", "--output-format", "json", *arguments)
    assert run.returncode in (0, 1), run.stderr
    return {row["code"] for row in json.loads(run.stdout)}


def install(site: Path, package: str, source: str, entry: str = "extra = {module}") -> str:
    """Put a package of one module into `site`, with the metadata that an installer leaves; the module's name."""
    module = package.replace("-", "_")
    site.mkdir(exist_ok=True)
    (site / f"{module}.py").write_text(source)
    info = site / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[devlint.rules]\n{entry.format(module=module)}\n")
    return module


def complaint(site: Path, folder: Path) -> str:
    """The one line with which devlint refuses to run."""
    run = devlint(site, folder, "check")
    assert run.returncode == 2
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    return line.removeprefix("devlint: error: ")


def test_findings_are_reported_beside_our_own(site: Path, project: Path) -> None:
    run = devlint(site, project, "check", "--output-format", "json")
    rows = {row["code"]: row for row in json.loads(run.stdout)}
    assert rows.keys() == {"DVL102", "LAB101", "LAB102"}
    assert (rows["LAB101"]["name"], rows["LAB101"]["location"]["row"]) == ("option-needs-cuda", 6)
    assert rows["LAB101"]["url"] is None, "its page is not among ours"
    assert run.returncode == 1


def test_without_the_package_its_rules_are_unknown(project: Path, tmp_path: Path) -> None:
    assert codes(tmp_path / "nothing", project) == {"DVL102"}
    run = devlint(tmp_path / "nothing", project, "check", "--select", "LAB101")
    assert (run.returncode, "unknown rule `LAB101`" in run.stderr) == (2, True)


def test_a_safe_fix_is_applied_and_an_unsafe_one_is_not(site: Path, project: Path) -> None:
    devlint(site, project, "check", "--fix")
    text = (project / "train.py").read_text()
    assert 'default="cuda" if torch.cuda.is_available() else "cpu"' in text
    assert "empty_cache" in text
    devlint(site, project, "check", "--fix", "--unsafe-fixes")
    assert "empty_cache" not in (project / "train.py").read_text()
    assert codes(site, project) == set()


@pytest.mark.parametrize("word", ["LAB101", "option-needs-cuda"])
def test_the_page_is_shown(site: Path, project: Path, word: str) -> None:
    shown = devlint(site, project, "rule", word).stdout
    heading, first = shown.splitlines()[:2]
    assert heading == "LAB101 option-needs-cuda (warning, lab, on by default, since devlint-lab-rules 1.0)"
    assert first == ""
    assert "A default device that not every machine has" in shown
    row = json.loads(devlint(site, project, "rule", word, "--output-format", "json").stdout)
    assert (row["package"], row["family"], row["url"]) == ("devlint-lab-rules", "lab", None)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--select", "LAB"], {"LAB101", "LAB102"}),
        (["--select", "LAB102"], {"LAB102"}),
        (["--select", "option-needs-cuda"], {"LAB101"}),
        (["--ignore", "LAB"], {"DVL102"}),
        (["--ignore", "LAB102,DVL102"], {"LAB101"}),
        (["--select", "DVL1"], {"DVL102"}),
    ],
)
def test_its_rules_are_selected_as_ours_are(
    site: Path, project: Path, arguments: list[str], expected: set[str]
) -> None:
    assert codes(site, project, *arguments) == expected


@pytest.mark.parametrize("setting", ["per-file-ignores", "allow-paths"])
def test_its_rules_are_ignored_by_file(site: Path, project: Path, setting: str) -> None:
    tables = {"per-file-ignores": '"train.py" = ["LAB101"]', "allow-paths": 'LAB101 = ["train.py"]'}
    (project / "devlint.toml").write_text(f"[{setting}]\n{tables[setting]}\n")
    (project / "other.py").write_text(PROGRAM)
    run = devlint(site, project, "check", "--output-format", "json", "--select", "LAB")
    found = {(Path(row["filename"]).name, row["code"]) for row in json.loads(run.stdout)}
    assert found == {("train.py", "LAB102"), ("other.py", "LAB101"), ("other.py", "LAB102")}


@pytest.mark.parametrize(
    "comment",
    ["# devlint: ignore[LAB102] shared card", "# devlint: ignore[cache-emptied-in-loop] shared", "# noqa: LAB102"],
)
def test_its_rules_are_suppressed_by_comments(site: Path, project: Path, comment: str) -> None:
    (project / "train.py").write_text(PROGRAM.replace("empty_cache()", f"empty_cache()  {comment}"))
    assert codes(site, project) == {"DVL102", "LAB101"}


def test_a_suppression_that_suppresses_nothing_of_its_rules_is_reported(site: Path, project: Path) -> None:
    (project / "train.py").write_text(PROGRAM + "print(1)  # devlint: ignore[LAB101] a laptop\n")
    assert "DVL902" in codes(site, project)


@pytest.mark.parametrize("code", ["LAB101", "LAB102"])
def test_its_pages_tell_the_truth(site: Path, tmp_path: Path, code: str) -> None:
    page = devlint(site, tmp_path, "rule", code).stdout
    example, instead = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    program = tmp_path / "program.py"
    program.write_text(example)
    assert codes(site, tmp_path, "--select", "LAB") == {code}
    devlint(site, tmp_path, "check", "--select", "LAB", "--fix", "--unsafe-fixes")
    assert program.read_text() == instead
    assert codes(site, tmp_path, "--select", "LAB") == set()


@pytest.mark.parametrize(
    ("source", "entry", "words"),
    [
        ("import acme_runtime_that_is_not_there\n", "extra = {module}", "ModuleNotFoundError: No module named"),
        ("raise ValueError('first\\nsecond')\n", "extra = {module}", "ValueError: first second"),
        ("import sys\nsys.exit(3)\n", "extra = {module}", "SystemExit: 3"),
        ("x = 1\n", "extra = {module}:missing", "AttributeError"),
        ("RULE = 3\n", "extra = {module}", "holds no rule"),
        (RULE.format(code="DVL950", name="ours"), "extra = {module}", "take another prefix, such as LAB950"),
        (RULE.format(code="acme1", name="lower-case"), "extra = {module}", "the code `acme1` is not one"),
        (RULE.format(code="ALL101", name="selector"), "extra = {module}", "the code `ALL101` is not one"),
        (RULE.format(code="ACME101", name="Not A Name"), "extra = {module}", "the name `Not A Name` of ACME101"),
        (RULE.format(code="ACME101", name="cuda-call"), "extra = {module}", "claim `cuda-call`, which devlint has"),
    ],
)
def test_what_cannot_be_used_is_named(project: Path, tmp_path: Path, source: str, entry: str, words: str) -> None:
    install(tmp_path / "site", "acme-rules", source, entry)
    line = complaint(tmp_path / "site", project)
    assert words in line
    assert "acme-rules" in line


def test_a_package_whose_submodule_cannot_be_imported_is_named(project: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site, "acme-rules", "", "extra = acme")
    (site / "acme" / "inner").mkdir(parents=True)
    (site / "acme" / "__init__.py").write_text("")
    (site / "acme" / "first.py").write_text(RULE.format(code="ACME101", name="first"))
    (site / "acme" / "inner" / "__init__.py").write_text("import acme_runtime_that_is_not_there\n")
    assert "acme-rules" in (line := complaint(site, project))
    assert "acme_runtime_that_is_not_there" in line


def test_two_packages_that_claim_one_code_are_both_named(project: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site, "acme-rules", RULE.format(code="ACME101", name="first"))
    install(site, "other-rules", RULE.format(code="ACME101", name="second"))
    line = complaint(site, project)
    assert line == "the rules of other-rules claim `ACME101`, which acme-rules has: uninstall one of them"


def test_a_rule_that_fails_is_an_internal_error_of_its_package(project: Path, tmp_path: Path) -> None:
    install(tmp_path / "site", "acme-rules", BROKEN_RULE)
    run = devlint(tmp_path / "site", project, "check", "--output-format", "json")
    assert run.returncode == 2
    assert "train.py: internal error in rule ACME101 of acme-rules: KeyError" in run.stderr
    assert {row["code"] for row in json.loads(run.stdout)} == {"DVL102"}, "the other rules go on"


def test_the_value_of_an_entry_may_be_the_rule_itself(project: Path, tmp_path: Path) -> None:
    source = f'"""The page."""\n\n{RULE.format(code="ACME101", name="first")}'.replace("RULE =", "first =")
    install(tmp_path / "site", "acme-rules", source, "extra = {module}:first")
    assert "\nThe page.\n" in devlint(tmp_path / "site", project, "rule", "ACME101").stdout


def test_the_guide_shows_the_example_package() -> None:
    guide = (EXAMPLE.parent.parent / "docs" / "writing-rules.md").read_text()
    blocks = re.findall(r"^<!-- (\S+) -->\n```\w+\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for name, block in blocks:
        assert block in (EXAMPLE.parent.parent / name).read_text(), f"{name} has changed"


def _setuptools_can_build_alone() -> bool:
    try:
        return int(version("setuptools").partition(".")[0]) >= 77
    except PackageNotFoundError:
        return False

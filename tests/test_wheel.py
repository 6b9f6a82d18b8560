"""What is built is what the tree holds: the wheel carries every rule, the type marker and the entry point."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
IN_THE_BUILD = ("devlint", "rules", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a copy of the tree: no stale `build/` takes part, nothing is left behind."""
    if importlib.util.find_spec("build") is None:
        pytest.skip("needs the package build")
    root = tmp_path_factory.mktemp("wheel")
    source = root / "source"
    source.mkdir()
    for name in IN_THE_BUILD:
        _copy(REPOSITORY / name, source / name)
    isolation = ["--no-isolation"] if _setuptools_is_new_enough() else []
    run = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(root), str(source)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    (path,) = root.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_rule(wheel: zipfile.ZipFile) -> None:
    in_tree = {path.relative_to(REPOSITORY / "rules").as_posix() for path in (REPOSITORY / "rules").rglob("*.py")}
    prefix = "devlint/rules/"
    in_wheel = {name.removeprefix(prefix) for name in wheel.namelist() if name.startswith(prefix)}
    assert in_wheel == in_tree


def test_the_wheel_holds_every_module(wheel: zipfile.ZipFile) -> None:
    in_tree = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "devlint").rglob("*.py")}
    in_wheel = {name for name in wheel.namelist() if name.startswith("devlint/") and name.endswith(".py")}
    assert in_tree <= in_wheel
    assert "devlint/py.typed" in wheel.namelist()


def test_the_wheel_installs_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"devlint"}


def test_the_wheel_declares_the_command(wheel: zipfile.ZipFile) -> None:
    (entry_points,) = (name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt"))
    assert "devlint = devlint.cli:main" in wheel.read(entry_points).decode()


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.write_bytes(source.read_bytes())
        return
    for path in sorted(source.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())


def _setuptools_is_new_enough() -> bool:
    """Whether this environment can build without fetching the build back end (pyproject.toml asks for 77)."""
    try:
        return int(version("setuptools").partition(".")[0]) >= 77
    except PackageNotFoundError:
        return False

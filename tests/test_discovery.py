"""Which files are checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from devlint.errors import DevlintError
from devlint.source.discovery import DEFAULT_EXCLUDE, Filter, discover


def tree(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")


def found(root: Path, *starts: str, exclude: Sequence[str] = DEFAULT_EXCLUDE, **options: bool) -> list[str]:
    rules = Filter(root, exclude, **options)
    paths = discover([root / start for start in starts or (".",)], lambda folder: rules)
    return [path.relative_to(root).as_posix() for path in paths]


def test_python_files_sorted(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/c.pyi", "a/b.py", "notes.txt", "run", "x.pyc")
    assert found(tmp_path) == ["a/b.py", "a/c.pyi", "b.py"]


def test_a_named_file_of_any_suffix(tmp_path: Path) -> None:
    tree(tmp_path, "run")
    assert found(tmp_path, "run") == ["run"]


def test_no_duplicates(tmp_path: Path) -> None:
    tree(tmp_path, "a/b.py")
    assert found(tmp_path, "a", ".", "a/b.py", "a/../a/b.py") == ["a/b.py"]


def test_a_missing_path(tmp_path: Path) -> None:
    with pytest.raises(DevlintError, match=r"nowhere: no such file or folder"):
        found(tmp_path, "nowhere")


def test_default_excludes(tmp_path: Path) -> None:
    tree(tmp_path, "venv/a.py", ".venv/a.py", "a/node_modules/b.py", "build/c.py", "builder/d.py")
    assert found(tmp_path) == ["builder/d.py"]


def test_a_checkout_below_an_excluded_name(tmp_path: Path) -> None:
    root = tmp_path / "build" / "project"
    tree(root, "a.py")
    assert found(root) == ["a.py"]
    assert found(root, force=True) == ["a.py"]


def test_patterns_are_relative_to_the_root(tmp_path: Path) -> None:
    tree(tmp_path, "gen/a.py", "src/gen/b.py", "src/c_pb2.py")
    assert found(tmp_path, exclude=["/gen", "*_pb2.py"]) == ["src/gen/b.py"]
    assert found(tmp_path, "src", exclude=["src/gen/"]) == ["src/c_pb2.py"]


def test_named_files_are_excluded_only_by_force(tmp_path: Path) -> None:
    tree(tmp_path, "build/a.py", "b.py")
    assert found(tmp_path, "build/a.py") == ["build/a.py"]
    assert found(tmp_path, "build/a.py", "b.py", force=True) == ["b.py"]
    assert found(tmp_path, "build", force=True) == []
    assert found(tmp_path, "build") == ["build/a.py"]


def test_gitignore_nested_and_negated(tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("private.py\n")
    tree(tmp_path, "a.py", "out/b.py", "src/tmp_c.py", "src/tmp_keep.py", "src/private.py", "src/d.py")
    (tmp_path / ".gitignore").write_text("/out/\ntmp_*.py\n")
    (tmp_path / "src" / ".gitignore").write_text("!tmp_keep.py\nd.py\n")
    assert found(tmp_path) == ["a.py", "src/tmp_keep.py"]
    assert "out/b.py" in found(tmp_path, respect_gitignore=False)
    assert found(tmp_path, "src/d.py") == ["src/d.py"]


def test_gitignore_means_nothing_outside_a_repository(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    (tmp_path / ".gitignore").write_text("*.py\n")
    assert found(tmp_path) == ["a.py"]


def test_a_folder_that_links_to_itself(tmp_path: Path) -> None:
    tree(tmp_path, "a/b.py")
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    os.symlink("knot", tmp_path / "knot")
    os.symlink(tmp_path / "gone.py", tmp_path / "broken.py")
    assert found(tmp_path) == ["a/b.py"]


def test_a_link_to_a_file_is_shown_under_the_files_own_name(tmp_path: Path) -> None:
    tree(tmp_path, "z.py")
    os.symlink(tmp_path / "z.py", tmp_path / "a.py")
    assert found(tmp_path.resolve()) == ["z.py"]

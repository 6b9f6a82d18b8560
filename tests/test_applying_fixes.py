"""Fixes into texts, texts into files."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from devlint.errors import DevlintError
from devlint.finding import Edit, Fix
from devlint.fixes.apply import apply_fixes
from devlint.fixes.diff import unified_diff
from devlint.fixes.write import write_fixed
from devlint.source.text import Source


def fix(*edits: tuple[int, int, str]) -> Fix:
    return Fix("", tuple(Edit(*edit) for edit in edits))


def applied(text: str, *fixes: Fix, newline: str = "\n") -> tuple[str, list[int]]:
    new, done = apply_fixes(text, fixes, newline)
    return new, [fixes.index(one) for one in done]


def test_replace_insert_and_delete() -> None:
    assert applied("abcdef", fix((0, 1, "A"), (3, 3, "-"), (4, 6, ""))) == ("Abc-d", [0])


def test_no_fix_changes_nothing() -> None:
    assert applied("a\r\nb") == ("a\r\nb", [])


def test_of_two_overlapping_fixes_the_first_wins() -> None:
    assert applied("abcdef", fix((0, 3, "x")), fix((2, 4, "y"))) == ("xdef", [0])


def test_a_fix_is_applied_whole_or_not_at_all() -> None:
    assert applied("abcdef", fix((1, 2, "x")), fix((5, 6, "y"), (0, 2, "z"))) == ("axcdef", [0])


def test_an_edit_that_two_fixes_share_is_made_once() -> None:
    shared = (0, 0, "device = 1\n")
    assert applied("ab", fix(shared, (0, 1, "x")), fix(shared, (1, 2, "y"))) == ("device = 1\nxy", [0, 1])


def test_different_insertions_at_one_place_keep_the_order_of_the_fixes() -> None:
    assert applied("ab", fix((1, 1, "1")), fix((1, 1, "2")), fix((1, 1, "3"))) == ("a123b", [0, 1, 2])


def test_an_insertion_beside_a_replacement() -> None:
    assert applied("abc", fix((1, 2, "X")), fix((1, 1, "<"), (2, 2, ">"))) == ("a<X>c", [0, 1])


@pytest.mark.parametrize("order", [1, -1])
def test_an_insertion_inside_a_replacement_clashes(order: int) -> None:
    fixes = [fix((0, 3, "x")), fix((1, 1, "y"))][::order]
    assert applied("abc", *fixes)[1] == [0]


def test_a_fix_at_odds_with_itself_is_left_out() -> None:
    assert applied("abc", fix((0, 2, "x"), (1, 3, "y"))) == ("abc", [])


def test_a_long_replacement_before_many_insertions_is_still_seen() -> None:
    fixes = [fix((0, 9, "x")), fix((9, 9, "1")), fix((9, 9, "2")), fix((8, 10, "y"))]
    assert applied("abcdefghijk", *fixes) == ("x12jk", [0, 1, 2])


def test_line_ends_of_the_file() -> None:
    assert applied("a\r\n", fix((0, 0, "x\ny\r\n")), newline="\r\n")[0] == "x\r\ny\r\na\r\n"
    assert applied("a\r", fix((0, 0, "x\n")), newline="\r")[0] == "x\ra\r"


def test_write_keeps_mode_and_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_bytes(b"a")
    real.chmod(0o754)
    os.symlink("real.py", link)
    write_fixed(Source.read(link), b"b")
    assert link.is_symlink()
    assert real.read_bytes() == b"b"
    assert stat.S_IMODE(real.stat().st_mode) == 0o754
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.py", "real.py"]


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"a")
    source = Source.read(file)
    file.write_bytes(b"theirs")
    with pytest.raises(DevlintError, match="changed since devlint read it"):
        write_fixed(source, b"ours")
    assert file.read_bytes() == b"theirs"


def test_a_file_that_is_gone_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"a")
    source = Source.read(file)
    file.unlink()
    with pytest.raises(DevlintError, match="cannot be written"):
        write_fixed(source, b"ours")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\r\nb\r\n", b"a\r\nb\r\nc\r\n"),
        (b"a\nb", b"a\nc"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", b"# coding: latin-1\ny = '\xe9'\n"),
    ],
)
def test_patch_accepts_the_diff(tmp_path: Path, old: bytes, new: bytes) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(old)
    diff = unified_diff("a.py", Source.read(file), Source.from_bytes(file, new))
    subprocess.run(["git", "apply", "-p0"], cwd=tmp_path, input=diff, check=True)
    assert file.read_bytes() == new

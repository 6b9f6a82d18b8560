"""Configuration files and options: which wins, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.errors import DevlintError
from devlint.selection import enabled_codes
from devlint.settings import Settings, SettingsFinder, options_from


def settings_of(folder: Path, options: dict[str, object] | None = None, **more: bool) -> Settings:
    return SettingsFinder(options_from(options or {}, []), **more).of(folder)


def mistake(folder: Path) -> str:
    with pytest.raises(DevlintError) as caught:
        settings_of(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_defaults(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, isolated=True)
    assert (settings.device_style, settings.target_torch, settings.fail_on) == ("cuda", (2, 6), "warning")
    assert "DVL901" in settings.enabled(tmp_path / "a.py")


def test_the_nearest_file_wins_alone(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "devlint.toml").write_text('fail-on = "error"\ndevice-style = "accelerator"\n')
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.devlint]\nfail-on = "note"\n')
    settings = settings_of(inner)
    assert (settings.fail_on, settings.device_style) == ("note", "cuda")
    assert settings.root == tmp_path / "a"


def test_own_files_go_before_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.devlint]\nfail-on = "note"\n')
    (tmp_path / ".devlint.toml").write_text('fail-on = "error"\n')
    assert settings_of(tmp_path).fail_on == "error"
    (tmp_path / "devlint.toml").write_text('fail-on = "never"\n')
    assert settings_of(tmp_path).fail_on == "never"


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text('fail-on = "error"\n')
    inner = tmp_path / "package"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\ndependencies = ["devlint"]\n')
    assert settings_of(inner).fail_on == "error"
    (inner / "pyproject.toml").write_text("another tool's {broken file")
    assert settings_of(inner).fail_on == "error"


def test_isolated_looks_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text("selct = 1")
    assert settings_of(tmp_path, isolated=True).file is None


def test_extend(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(
        'fail-on = "error"\ntarget-torch = "2.8"\nextend-exclude = ["a"]\nexclude = ["x"]\n'
    )
    (tmp_path / "devlint.toml").write_text(
        'extend = "base.toml"\nfail-on = "note"\nextend-exclude = ["b"]\nexclude = ["y"]\n'
    )
    settings = settings_of(tmp_path)
    assert (settings.fail_on, settings.target_torch) == ("note", (2, 8))
    assert (settings.exclude, settings.extend_exclude) == (("y",), ("a", "b"))


def test_extend_in_a_circle_and_to_nowhere(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text('extend = "devlint.toml"\n')
    assert "leads back" in mistake(tmp_path)
    (tmp_path / "devlint.toml").write_text('extend = "gone.toml"\n')
    assert "no such file: gone.toml" in mistake(tmp_path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('selct = ["DVL901"]', ["devlint.toml: unknown key `selct`", "did you mean `select`?"]),
        ('device_style = "cuda"', ["did you mean `device-style`?"]),
        ('select = ["DVL9011"]', ["`select`: unknown rule `DVL9011`", "did you mean `DVL901`?"]),
        ('ignore = ["sintax-error"]', ["did you mean `syntax-error`?"]),
        ('per-file-ignores = { "*" = ["dvl901"] }', ["did you mean `DVL901`?"]),
        ('per-file-ignores = ["DVL901"]', ["`per-file-ignores`: expected a table"]),
        ('device-style = "gpu"', ["expected one of cuda, accelerator"]),
        ('fail-on = "warnings"', ["did you mean `warning`?"]),
        ('output-format = "sarif"', ["expected one of full, concise, json, github"]),
        ("target-torch = 2.10", ['expected a version in quotes, such as "2.6"']),
        ('target-torch = "new"', ["expected a version"]),
        ("exclude = 1", ["expected a list of strings"]),
        ("exclude = [1]", ["expected a list of strings"]),
        ('force-exclude = "yes"', ["expected true or false"]),
        ('device-expression = "a b"', ["expected a Python expression"]),
        ('device-import = "x = 1"', ["expected an import statement"]),
    ],
)
def test_mistakes_in_a_file(tmp_path: Path, line: str, words: list[str]) -> None:
    (tmp_path / "devlint.toml").write_text(line)
    message = mistake(tmp_path)
    assert all(word in message for word in ["devlint.toml", *words]), message


def test_invalid_toml_names_the_place(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text('fail-on = "error"\nselect = [\n')
    assert "invalid TOML" in (message := mistake(tmp_path))
    assert "line" in message or "end of document" in message
    (tmp_path / "devlint.toml").write_bytes(b"\xff")
    assert "not UTF-8 (at byte 0)" in mistake(tmp_path)


def test_a_wrong_tool_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\ndevlint = 1\n")
    assert "[tool.devlint] is no table" in mistake(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.devlint]\nx = 1\n")
    assert "[tool.devlint]: unknown key `x`" in mistake(tmp_path)


@pytest.mark.parametrize(
    ("requirement", "version"),
    [
        ("torch>=2.3", (2, 3)),
        ("torch ~= 2.4.1, !=2.4.2", (2, 4)),
        ("torch[extra]==2.10.0; python_version > '3.9'", (2, 10)),
        ("torch (>=1.13)", (1, 13)),
        ("torch>=2", (2, 0)),
        ("torch", (2, 6)),
        ("torch<3", (2, 6)),
        ("torchvision>=0.20", (2, 6)),
        ("torch-geometric>=2.3", (2, 6)),
        ("torch @ https://example.org/torch.whl", (2, 6)),
    ],
)
def test_target_torch_from_the_requirement(tmp_path: Path, requirement: str, version: tuple[int, int]) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[project]\ndependencies = ["numpy", "{requirement}"]\n')
    assert settings_of(tmp_path).target_torch == version


def test_options_go_over_files(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text('fail-on = "error"\nselect = ["DVL901"]\nignore = ["DVL902"]\n')
    settings = settings_of(tmp_path, {"fail-on": "note", "select": ("DVL9",)})
    assert settings.fail_on == "note"
    assert settings.enabled(tmp_path / "a.py") >= {"DVL901", "DVL902"}
    assert settings_of(tmp_path, {"ignore": ("DVL901",)}).enabled(tmp_path / "a.py") == frozenset()
    assert "DVL902" in settings_of(tmp_path, {"extend-select": ("DVL902",)}).enabled(tmp_path / "a.py")


def test_assignments() -> None:
    texts = ["fail-on=error", "unsafe-fixes = true", 'extend-exclude=["a", "b"]']
    options = options_from({"fail-on": None}, texts)
    assert options == {"fail-on": "error", "unsafe-fixes": True, "extend-exclude": ("a", "b")}
    with pytest.raises(DevlintError, match="--config failon=error: unknown key `failon`; did you mean `fail-on`"):
        options_from({}, ["failon=error"])


def test_mistakes_in_options() -> None:
    with pytest.raises(DevlintError, match=r"^--select: unknown rule `DVL8`"):
        options_from({"select": ("DVL8",)}, [])


def test_a_configuration_file_by_name(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('fail-on = "never"\n')
    assert SettingsFinder(file=tmp_path / "other.toml").of(Path("/")).fail_on == "never"
    with pytest.raises(DevlintError, match="--config: no such file"):
        SettingsFinder(file=tmp_path / "gone.toml")


def test_per_file_ignores(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text(
        'per-file-ignores = { "tests/*" = ["DVL901", "unused-suppression"], "*_demo.py" = ["DVL901"] }\n'
    )
    settings = settings_of(tmp_path)
    assert not {"DVL901", "DVL902"} & settings.enabled(tmp_path / "tests" / "a.py")
    assert "DVL901" not in settings.enabled(tmp_path / "x" / "a_demo.py")
    assert "DVL901" in settings.enabled(tmp_path / "a.py")


@pytest.mark.parametrize(
    ("select", "extend", "ignore", "on"),
    [
        (["DVL9"], [], [], {"DVL901", "DVL902"}),
        (["unused-suppression"], [], [], {"DVL901", "DVL902"}),
        (["DVL902"], [], ["DVL901"], {"DVL902"}),
        (["DVL902"], [], ["DVL902"], {"DVL901"}),
        (["DVL9"], [], ["DVL902"], {"DVL901"}),
        (["DVL902"], [], ["DVL9"], {"DVL902"}),
        (["DVL902"], [], ["ALL"], {"DVL902"}),
        (["DVL902"], [], ["unused-suppression"], {"DVL901"}),
        (["DVL901"], ["DVL902"], [], {"DVL901", "DVL902"}),
    ],
)
def test_the_narrower_selector_wins(select: list[str], extend: list[str], ignore: list[str], on: set[str]) -> None:
    assert {code for code in enabled_codes(select, extend, ignore) if code in ("DVL901", "DVL902")} == on


def test_all_selects_everything() -> None:
    from devlint.rule import all_rules

    assert enabled_codes(["ALL"], [], []) == set(all_rules())
    assert enabled_codes([], [], []) == {code for code, rule in all_rules().items() if rule.default}

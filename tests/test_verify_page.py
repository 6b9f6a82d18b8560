"""docs/verify.md names the differences that the tests allow, each with its reason, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest", reason="the lists stand in tests that need it")

import test_fixed_cases_on_an_accelerator as cases
import test_verify_against_fake_tensor as fake_tensor
import test_verify_same_numbers as numbers

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "verify.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("heading", "reasons"),
    [
        ("Operators that differ from FakeTensorMode", fake_tensor.EXPLAINED),
        ("Operators whose numbers differ from the CPU's", numbers.EXPLAINED),
        ("Repaired cases with less than 0.9 of their work on the device", cases.STAYS_HOME),
    ],
)
def test_the_page_lists_the_differences(heading: str, reasons: dict[str, str]) -> None:
    section = re.split(r"^#+ ", PAGE.partition(f"### {heading}\n")[2], maxsplit=1, flags=re.M)[0]
    listed: dict[str, str] = {}
    for names, reason in re.findall(r"^\| (`.+?`) \| (.+?) \|$", section, flags=re.M):
        listed.update(dict.fromkeys(re.findall(r"`(.+?)`", names), reason))
    assert listed == reasons

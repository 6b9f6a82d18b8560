"""Write the skeleton of a rule, with a bad and a clean case: what is to be decided is marked TODO.

usage: new_rule.py NAME FAMILY [FACT]

NAME: kebab-case, such as cache-emptied-in-loop. FAMILY: portability, data, models or transfers. FACT: what the rule
is about, a class of devlint/analysis/facts.py. Nothing that exists is overwritten.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FAMILIES = {"portability": "1", "data": "2", "models": "3", "transfers": "4"}
"""The digit that the codes of a family begin with. Rules about the checked file itself (DVL9) are too unlike these."""
FACTS = {"portability": "CudaLiteral", "data": "Meets", "models": "ModelOnHost", "transfers": "CreatedThenMoved"}
"""The fact that a family's rules are most often about."""
KINDS = Path("tests", "cases", "kinds.toml")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_RULE = '''\
"""TODO: the bug in a few words

## What it finds

TODO: the code that is reported.

## Why it matters

TODO: what a user sees, in torch's own words.

## Example

```python
import torch

# TODO: the smallest program with the bug, which runs
```

## Use instead

```python
import torch

# TODO: what the fix makes of it, byte for byte
```

## When this is not a bug

TODO: the correct program that looks like it.

## Fix safety

TODO: whether the program still gives the same results, and what may go wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import {fact}
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("{code}", "{name}", severity=Severity.WARNING, since="{since}")


@RULE.on({fact})
def {function}(fact: {fact}, ctx: Context) -> Iterator[Finding]:
    is_a_bug = False  # TODO: decide from the fact
    if is_a_bug:
        yield ctx.finding(
            RULE,
            fact.site.spot,
            "TODO: what is wrong here, in one line",
            consequence="TODO: what happens then",
            fix=None,  # TODO: ctx.plan makes fixes
        )
'''
_BAD = '''\
"""TODO: a small program with the bug, modelled on a report."""

import torch
'''
_BAD_TRUTH = """\
severity = "warning"
symptom = "TODO: what a user sees on a machine with an accelerator"
source = "TODO: where such a bug was reported"
why = "TODO: how it comes about"
runnable = true

[[finding]]
file = "bad.py"
line = 1  # TODO
kind = "{name}"
"""
_CLEAN = '''\
"""TODO: a correct program that a hasty rule would report."""

import torch
'''
_CLEAN_TRUTH = """\
trap = "TODO: what makes it look like the bug"
runnable = true
"""


class Refused(Exception):
    """What was asked for cannot be done; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class NewRule:
    """What is to be written: files by their path below the repository, and the changed table of kinds."""

    code: str
    files: dict[Path, str]
    kinds: str


def main(arguments: Sequence[str], root: Path = REPOSITORY) -> int:
    """Write the skeleton and say what is left to do; 2 where it cannot be written."""
    if not 2 <= len(arguments) <= 3:
        print("usage: nox -s new-rule -- NAME FAMILY [FACT]", file=sys.stderr)
        return 2
    try:
        new = planned(root, *arguments)
    except Refused as refusal:
        print(f"new-rule: error: {refusal}", file=sys.stderr)
        return 2
    for path, text in new.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / KINDS).write_text(new.kinds, encoding="utf-8")
    print("\n".join(_what_is_next(new, arguments[0])))
    return 0


def planned(root: Path, name: str, family: str, fact: str = "") -> NewRule:
    """Everything that a new rule needs; raises Refused."""
    if not _NAME.fullmatch(name):
        raise Refused(f"`{name}`: write the name in small letters and digits with hyphens between: `cuda-call`")
    if family not in FAMILIES:
        raise Refused(f"`{family}`: no such family; there are {', '.join(FAMILIES)}")
    if name in _names(root):
        raise Refused(f"`{name}`: a rule of this name exists")
    known = _facts(root)
    if (fact := fact or FACTS[family]) not in known:
        near = get_close_matches(fact, known, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else "; devlint/analysis/facts.py has them"
        raise Refused(f"`{fact}`: no such fact{hint}")
    module, code = name.replace("-", "_"), next_code(root, family)
    words = {"name": name, "code": code, "fact": fact, "since": _since(root)}
    bad, clean = Path("tests", "cases", "bad", name), Path("tests", "cases", "clean", f"like-{name}")
    files = {
        Path("rules", family, f"{module}.py"): _RULE.format(function=module, **words),
        clean / "clean.py": _CLEAN,
        clean / "case.toml": _CLEAN_TRUTH,
        bad / "bad.py": _BAD,
        bad / "case.toml": _BAD_TRUTH.format(name=name),
    }
    for path in files:
        if (root / path).exists():
            raise Refused(f"{path} exists, and nothing was written: choose another name")
    return NewRule(code, files, _with_kind((root / KINDS).read_text(encoding="utf-8"), name, code))


def next_code(root: Path, family: str) -> str:
    """The code after the highest that the family has, or had: a code is never given twice.

    Raises Refused when the family is full.
    """
    texts = [path.read_text(encoding="utf-8") for path in sorted((root / "rules").rglob("*.py"))]
    texts += [(root / name).read_text(encoding="utf-8") for name in (KINDS, Path("CHANGELOG.md"))]
    digit = FAMILIES[family]
    numbers = [int(number) for text in texts for number in re.findall(rf"\bDVL({digit}\d\d)\b", text)]
    following = max(numbers, default=int(digit) * 100) + 1
    if str(following)[0] != digit:
        raise Refused(f"{family} has no code left")
    return f"DVL{following}"


def _names(root: Path) -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (root / "rules").rglob("*.py"))
    return {
        match for text in texts for match in re.findall(r'^RULE = Rule\(\s*"DVL\d+",\s*"([^"]+)"', text, re.MULTILINE)
    }


def _facts(root: Path) -> list[str]:
    """The classes that say where something happens."""
    tree = ast.parse((root / "devlint" / "analysis" / "facts.py").read_text(encoding="utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(line, ast.AnnAssign) and ast.unparse(line.target) == "site" for line in node.body)
    ]


def _since(root: Path) -> str:
    """The version that is being written, without its last number."""
    text = (root / "devlint" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(\d+\.\d+)', text, re.MULTILINE)
    if match is None:
        raise Refused("devlint/__init__.py names no version")
    return match[1]


def _with_kind(table: str, name: str, code: str) -> str:
    """The table of kinds with a line for the rule, behind the last line of its family."""
    if re.search(rf"^{re.escape(name)} =", table, re.MULTILINE):
        raise Refused(f"`{name}` is a kind of another rule in {KINDS}: choose another name")
    lines = table.splitlines()
    last = max((n for n, line in enumerate(lines) if f'= ["{code[:4]}' in line), default=len(lines) - 1)
    return "\n".join([*lines[: last + 1], f'{name} = ["{code}"]', *lines[last + 1 :]]) + "\n"


def _what_is_next(new: NewRule, name: str) -> list[str]:
    rule, clean, clean_truth, bad, bad_truth = new.files
    return [
        f"{new.code} {name}: five files, and a line in {KINDS}. Replace every TODO:",
        f"  1. {clean}, {clean_truth.name}: a correct program that looks like the bug",
        f"  2. {bad}, {bad_truth.name}: the bug, and the line where it is to be reported",
        f"  3. {rule}: when it is a bug, and the page",
        "Then:",
        f"  4. devlint check --isolated --select {new.code} {bad.parent}",
        "  5. python benchmarks/rule_pages.py       writes docs/rules",
        "  6. python benchmarks/score_cases.py --verbose",
        "  7. pytest, and a line in CHANGELOG.md",
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

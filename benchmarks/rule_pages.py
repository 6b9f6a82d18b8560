"""Write docs/rules/: a page for each rule, from the docstring of its file, and a page that lists them.

usage: rule_pages.py [--check] [FOLDER]

--check writes nothing and fails where a page is not what its rule says.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from devlint.rule import Rule, all_rules

DOCS = Path(__file__).resolve().parent.parent / "docs" / "rules"
OURS = ("portability", "data", "models", "transfers", "meta")
FAMILIES = {
    "portability": "Code that names one kind of accelerator",
    "data": "Batches and tensors that are not where the model is",
    "models": "Modules that are not where their input is",
    "transfers": "Transfers that cost time or memory",
    "meta": "The checked file itself",
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them."""
    named = [Path(argument) for argument in arguments if not argument.startswith("--")]
    folder = named[0] if named else DOCS
    wanted = pages()
    stale = stale_pages(folder, wanted)
    if "--check" in arguments:
        print(*(f"{folder / name}: not what the rule says; run benchmarks/rule_pages.py" for name in stale), sep="\n")
        return 1 if stale else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    print(f"{len(wanted)} pages, {len(stale)} written or removed")
    return 0


def stale_pages(folder: Path, wanted: dict[str, str]) -> list[str]:
    """The names of pages that are missing, differ, or belong to no rule."""
    held = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    return sorted(name for name in wanted.keys() | held.keys() if wanted.get(name) != held.get(name))


def pages() -> dict[str, str]:
    """The text of every page by its file name."""
    rules = [rule for rule in all_rules().values() if not rule.package]
    return {**{f"{rule.name}.md": page(rule) for rule in rules}, "README.md": overview(rules)}


def page(rule: Rule) -> str:
    """One rule's page."""
    first, _, rest = rule.page.strip().partition("\n")
    default = "on by default" if rule.default else "off by default"
    facts = f"**{rule.code}** `{rule.name}` · {rule.severity.value} · {default} · since {rule.since}"
    return f"# {first.rstrip('.')}\n\n{facts}\n\n{rest.strip()}\n"


def overview(rules: Sequence[Rule]) -> str:
    """The page that lists the rules by family."""
    parts = ["# Rules", "Written by `benchmarks/rule_pages.py` from the files below `rules/`."]
    for family, members in groupby(sorted(rules, key=lambda r: (OURS.index(r.family), r.code)), lambda r: r.family):
        rows = [
            f"| {rule.code} | [{rule.name}]({rule.name}.md) | {rule.summary} | {rule.severity.value}"
            f"{'' if rule.default else ', off by default'} |"
            for rule in members
        ]
        table = "\n".join(["| code | name | what it finds | severity |", "|---|---|---|---|", *rows])
        parts += [f"## {FAMILIES[family]}", table]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

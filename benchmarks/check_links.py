"""Check the links between our pages: a relative link must lead to a file, an anchor to a heading.

usage: check_links.py PAGE_OR_FOLDER...

Links to other sites are not followed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

FENCE = re.compile(r"^(```|~~~).*?^\1[^\S\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.+?)\s*$", re.MULTILINE)
ELSEWHERE = ("http://", "https://", "mailto:")


def main(arguments: Sequence[str]) -> int:
    pages = [page for name in arguments for page in _pages(Path(name))]
    broken = [problem for page in pages for problem in broken_links(page)]
    print(*broken, sep="\n", end="\n" if broken else "")
    print(f"{len(pages)} pages, {len(broken)} broken links")
    return 1 if broken else 0


def broken_links(page: Path) -> Iterator[str]:
    """One sentence for each link of a page that leads nowhere."""
    text = FENCE.sub("", page.read_text("utf-8"))
    for link in LINK.findall(CODE.sub("", text)):
        if link.startswith(ELSEWHERE):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{page}: {link}: no such file"
        elif anchor and target.suffix == ".md" and anchor not in _anchors(target):
            yield f"{page}: {link}: no such heading"


def _pages(path: Path) -> list[Path]:
    return sorted(path.rglob("*.md")) if path.is_dir() else [path]


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(FENCE.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

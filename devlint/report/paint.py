"""Lines of styled words, as plain text or with terminal colours."""

from __future__ import annotations

from collections.abc import Iterable

Line = list[tuple[str, str]]
"""Words with a style each, in rich's words ("bold red"); `link URL` makes a word a link."""


def painted(lines: Iterable[Line], *, color: bool) -> str:
    """The lines as text, each with its line end."""
    if not color:
        return "".join("".join(word for word, _ in line).rstrip() + "\n" for line in lines)
    return _with_colors(lines)


def _with_colors(lines: Iterable[Line]) -> str:
    import io

    from rich.console import Console
    from rich.text import Text

    # A line that is too long is left to the terminal to wrap, so that it stays whole when copied.
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system="standard", no_color=False, width=10_000)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True, highlight=False)
    return file.getvalue()

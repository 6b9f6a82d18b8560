"""What is known of functions and classes of libraries, one handler a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter
    from devlint.analysis.values import Value

Handler = Callable[["Interpreter", str, cst.CSTNode, "Arguments"], "Value"]
"""Gets the run, the dotted name that was called, the call and its arguments, and gives what the call gives."""
HANDLERS: dict[str, Handler] = {}


def external(*names: str) -> Callable[[Handler], Handler]:
    """Make a function the handler of these dotted names."""

    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register

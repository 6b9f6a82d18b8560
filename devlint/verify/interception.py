"""The table of torch functions that a device changes, and the decorator that fills it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from devlint.verify.machine import Machine

Handler = Callable[[Machine, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Called with the machine, the function that was called, its arguments; gives what the program gets."""

HANDLERS: dict[Any, Handler] = {}


def intercepts(*functions: Any) -> Callable[[Handler], Handler]:
    """Register a handler for torch functions; those that this torch version lacks are given as None."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update((function, handler) for function in functions if function is not None)
        return handler

    return register


def named(owner: Any, names: str) -> Iterable[Any]:
    """The functions of `owner` by name, those that this torch version has."""
    return (getattr(owner, name) for name in names.split() if hasattr(owner, name))

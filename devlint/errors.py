"""The one exception that devlint raises for something its user can mend."""

from __future__ import annotations


class DevlintError(Exception):
    """Bad usage or configuration: the message says in one line what happened and what to do; exit code 2."""

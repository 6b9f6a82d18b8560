"""Unused suppression comment.

The comment suppresses a finding that is not there, or cannot suppress anything.

## What it finds

Comments of the forms `# devlint: ignore[DVL201] reason`, `# devlint: file-ignore[DVL201] reason` and
`# noqa: DVL201` that

- name a rule which reports nothing at that place,
- name a rule that devlint does not know (codes of other tools in a `# noqa:` are left alone), or
- name no rule at all: `# devlint: ignore` alone would hide whatever comes up next.

A rule that is off in this run is not called unused.

## Why it matters

A stale comment hides the next bug on its line, and readers take it for a warning that still holds.

## Example

```python
import torch

x = torch.zeros(3)  # devlint: ignore[DVL101] the lab has only NVIDIA cards
print(x.sum())
```

## Use instead

```python
import torch

x = torch.zeros(3)
print(x.sum())
```

## When this is not a bug

When the finding depends on something that differs between runs: another `target-torch` in a second CI job, or a
caller in a file that this run does not look at. `# devlint: file-ignore[DVL902]` keeps such comments.

## Fix safety

Safe: only comments change. One code is taken out of the list, or the whole comment when no code is left.
Comments for other tools on the same line stay. Unknown codes and comments without a code have no fix; they
are most likely typing errors.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.context import Context
from devlint.finding import Finding, Fix, Severity
from devlint.rule import Rule
from devlint.selection import guess
from devlint.source.suppressions import Problem, UnusedSuppression

RULE = Rule("DVL902", "unused-suppression", severity=Severity.WARNING, since="0.1")


@RULE.on(UnusedSuppression)
def comment_suppresses_nothing(fact: UnusedSuppression, context: Context) -> Iterator[Finding]:
    """The comment is not needed, or does not work."""
    words = ", ".join(f"`{word}`" for word in fact.words)
    match fact.problem:
        case Problem.UNUSED:
            message = f"unused suppression: {words} reports nothing here"
        case Problem.UNKNOWN:
            message = f"suppression of an unknown rule {words}{guess(fact.words[0])}"
        case Problem.BLANKET:
            message = "suppression without a rule; write `# devlint: ignore[CODE] reason`"
    fix = Fix("remove the suppression", fact.edits) if fact.edits else None
    yield Finding(RULE.code, RULE.name, message, RULE.severity, context.path, fact.span, fix=fix)

"""A suppression without a reason.

The comment turns a rule off and does not say why. The rule is off unless it is selected.

## What it finds

`# devlint: ignore[DVL201]`, `# devlint: file-ignore[DVL201]` and `# noqa: DVL201` with nothing behind the codes.
Comments that name only rules of other tools are left alone, and so are those that name no rule at all: DVL902 speaks
of them.

## Why it matters

Whoever meets the comment a year later cannot tell a decision from a postponement, so nobody dares to remove it.

## Example

```python
import torch

x = torch.zeros(3).cuda()  # devlint: ignore[DVL101]
print(x.sum())
```

## Use instead

```python
import torch

x = torch.zeros(3).cuda()  # devlint: ignore[DVL101] the lab has only NVIDIA cards
print(x.sum())
```

## When this is not a bug

In a project that does not ask for reasons, which is why the rule is off: turn it on with
`extend-select = ["DVL903"]`.

## Fix safety

There is no fix: only a person knows the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule
from devlint.source.suppressions import SuppressionWithoutReason

RULE = Rule("DVL903", "suppression-without-reason", severity=Severity.WARNING, since="0.1", default=False)


@RULE.on(SuppressionWithoutReason)
def comment_gives_no_reason(fact: SuppressionWithoutReason, context: Context) -> Iterator[Finding]:
    """The comment suppresses, and does not say why."""
    words = ", ".join(f"`{word}`" for word in fact.words)
    message = f"{words} is suppressed without a reason; write one behind the brackets"
    yield Finding(RULE.code, RULE.name, message, RULE.severity, context.path, fact.span)

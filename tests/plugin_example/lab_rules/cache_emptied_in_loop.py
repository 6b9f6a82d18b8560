"""CUDA's cache emptied on every turn of a loop

## What it finds

`torch.cuda.empty_cache()` as a statement of a loop's body. Behind a condition in the loop it is no finding.

## Why it matters

The call gives back memory that the next turn asks for again: each turn waits for the device and for the driver, and no
turn has more memory for it.

## Example

```python
import torch

for step in range(3):
    noise = torch.randn(4, 4)
    print(step, noise.shape)
    torch.cuda.empty_cache()
```

## Use instead

```python
import torch

for step in range(3):
    noise = torch.randn(4, 4)
    print(step, noise.shape)
```

## When this is not a bug

Where another process shares the card and needs the memory between the turns.

## Fix safety

Unsafe: the call may have kept a fragmented card from running out of memory.

## References

- https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.facts import CudaApiCall, Site
from devlint.context import Context
from devlint.finding import Applicability, Edit, Finding, Fix, Severity
from devlint.rule import Rule

RULE = Rule("LAB102", "cache-emptied-in-loop", severity=Severity.WARNING, since="1.2")


@RULE.on(CudaApiCall)
def emptied_on_every_turn(fact: CudaApiCall, ctx: Context) -> Iterator[Finding]:
    """The call is a statement of the innermost loop's own body, so that every turn reaches it."""
    match fact:
        case CudaApiCall(name="empty_cache", site=Site(loops=(*_, cst.For() | cst.While() as loop))):
            if fact.site.statement in (turn := loop.body.body):
                yield ctx.finding(
                    RULE,
                    fact.site.spot,
                    "the cache is emptied on every turn",
                    consequence="slower: each turn waits for the device and asks for its memory again",
                    fix=_removal(fact, ctx) if len(turn) > 1 else None,
                )


def _removal(fact: CudaApiCall, ctx: Context) -> Fix | None:
    """A fix that takes the line out, where nothing else stands on it."""
    text, span = ctx.file.source.text, ctx.file.span(fact.call)
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
    if end == 0 or text[start : span.start].strip() or text[span.end : end].strip():
        return None
    return Fix("take the call out", (Edit(start, end, ""),), Applicability.UNSAFE)

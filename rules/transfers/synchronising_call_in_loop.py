"""A loop that waits for the device on every turn

## What it finds

`.item()`, `.cpu()`, `.tolist()`, `.numpy()`, `print()` or `float()` of a tensor on a device, unconditionally in the
inner loop, and `torch.cuda.synchronize()` in a loop over batches.

## Why it matters

Work on an accelerator is only queued; a call that needs a number waits until the queue is empty, and the device then
waits for the host to queue more. Read the numbers seldom, or collect them on the device and read them after the loop.

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
total = 0.0
for step in range(3):
    x = torch.full((8,), float(step), device=device)
    total += x.square().mean().item()
print(total)
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
total = torch.zeros((), device=device)
for step in range(3):
    x = torch.full((8,), float(step), device=device)
    total += x.square().mean()
print(total.item())
```

## When this is not a bug

Often: a loop of few or long steps loses nothing by it, and some loops have to decide by what they read. The rule is off
unless it is selected.

## Fix safety

No fix: when to read is a choice.

## References

- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#avoid-unnecessary-cpu-gpu-synchronization
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import SynchronisingCall
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL404", "synchronising-call-in-loop", severity=Severity.NOTE, since="0.1", default=False)


@RULE.on(SynchronisingCall)
def waits_every_turn(call: SynchronisingCall, ctx: Context) -> Iterator[Finding]:
    yield ctx.finding(
        RULE,
        call.site.spot,
        f"`{call.what}` makes every turn of the loop wait for the device",
        label="the host waits here",
    )

"""Tensor made on the host, only to be moved

## What it finds

A factory whose result is moved in the same expression: `torch.zeros(n).to(device)`.

## Why it matters

The host fills memory of its own and copies it to the device, and waits for the copy; `torch.zeros(n, device=device)`
fills it where it is wanted. In a training loop that is a copy a step.

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
for step in range(3):
    mask = torch.ones(64, 64).bool().to(device)
    print(mask.sum().item())
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
for step in range(3):
    mask = torch.ones(64, 64, device=device).bool()
    print(mask.sum().item())
```

## When this is not a bug

It is a note, never a failure. Random numbers are sometimes drawn on the host on purpose, so that a seed gives the same
numbers on every machine; with a `generator=` the rule is silent.

## Fix safety

Safe, but for random numbers: with one seed a device draws others than the host.

## References

- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#create-tensors-directly-on-the-target-device
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import CreatedThenMoved
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL401", "created-then-moved", severity=Severity.NOTE, since="0.1")


@RULE.on(CreatedThenMoved)
def made_elsewhere(move: CreatedThenMoved, ctx: Context) -> Iterator[Finding]:
    factory = ctx.file.code(move.made.func)
    device = ctx.file.code(move.device)
    drawn = ", with other random numbers" if move.random else ""
    yield ctx.finding(
        RULE,
        move.site.spot,
        f"`{factory}` fills host memory that is then copied: `device={device}` makes it where it is wanted{drawn}",
        label="made on the host, then moved",
        fix=ctx.plan.make_in_place(move),
    )

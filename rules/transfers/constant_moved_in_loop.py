"""The same tensor moved on every turn of a loop

## What it finds

A tensor that is made on the host before a loop, that the loop does not change, and that it moves to the device again on
each of its turns.

## Why it matters

Every turn waits for a copy of what was copied before. Moved once, before the loop, it is there.

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
basis = torch.tensor([[1.0, 0.0], [0.5, 2.0]])
for step in range(3):
    x = torch.full((4, 2), float(step), device=device)
    print((x @ basis.to(device)).sum().item())
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
basis = torch.tensor([[1.0, 0.0], [0.5, 2.0]])
basis = basis.to(device)
for step in range(3):
    x = torch.full((4, 2), float(step), device=device)
    print((x @ basis).sum().item())
```

## When this is not a bug

It is a note, never a failure. What does not fit on the device beside the model is moved when it is needed.

## Fix safety

There is a fix where nothing else reads the tensor.

## References

- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#avoid-unnecessary-cpu-gpu-synchronization
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import ConstantMovedInLoop
from devlint.analysis.parsed import Spot
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL402", "constant-moved-in-loop", severity=Severity.NOTE, since="0.1")


@RULE.on(ConstantMovedInLoop)
def moved_every_turn(move: ConstantMovedInLoop, ctx: Context) -> Iterator[Finding]:
    head = move.loop.target if hasattr(move.loop, "target") else move.loop.test
    yield ctx.finding(
        RULE,
        move.site.spot,
        f"`{move.name}` does not change in the loop, and is moved on each of its turns",
        label="copied again on every turn",
        related=[(move.made, "made on the host here"), (Spot(move.site.spot.file, head), "the loop")],
        fix=ctx.plan.hoist_move(move),
    )

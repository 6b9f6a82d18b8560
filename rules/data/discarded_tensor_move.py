"""Result of a tensor's `.to()` thrown away

## What it finds

A statement like `x.to(device)` or `x.cuda()` on a tensor, or a call of a helper that returns the moved batch, whose
result is not kept.

## Why it matters

`Tensor.to` returns a new tensor and leaves the old one where it was (`Module.to` is the one that works in place). The
line looks right and does nothing; the next operation raises

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4)
x.to(device)
print(model(x).shape)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4)
x = x.to(device)
print(model(x).shape)
```

## When this is not a bug

Batches of some libraries (`BatchEncoding`, graph batches) move in place: devlint stays silent where a batch is used
like one of those.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import DiscardedMove, Receiver
from devlint.analysis.syntax import dotted
from devlint.consequences import MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL202", "discarded-tensor-move", severity=Severity.ERROR, since="0.1")


@RULE.on(DiscardedMove)
def move_without_effect(move: DiscardedMove, ctx: Context) -> Iterator[Finding]:
    if move.receiver is not Receiver.TENSOR:
        return
    name = dotted(move.moved)
    subject = f"`{name}`" if name else "the tensor"
    yield ctx.finding(
        RULE,
        move.site.spot,
        f"the moved copy of {subject} is thrown away",
        label=f"{subject} itself stays where it is",
        consequence=MISMATCH,
        fix=ctx.plan.keep_result(move),
    )

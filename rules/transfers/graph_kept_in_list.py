"""Losses collected together with their graph

## What it finds

A training loop that adds the loss itself to a sum or a list, after or before `loss.backward()`, and never lets go of
its graph.

## Why it matters

Each loss holds on to the graph that made it, and a sum to the graphs of all losses so far: memory of the device grows
with every step, until

    torch.OutOfMemoryError: CUDA out of memory.

The loop also gets slower, and `numpy` refuses what comes out: a tensor that requires a gradient.

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for step in range(3):
    loss = model(torch.ones(8, 4, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
print(f"{total / 3:.3f}")
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for step in range(3):
    loss = model(torch.ones(8, 4, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(f"{total / 3:.3f}")
```

## When this is not a bug

A sum that is itself differentiated (`total.backward()`), a graph that is used again (`retain_graph=True`), and a loss
that was detached before are left alone.

## Fix safety

Safe: `.item()` where numbers do wherever the sum or the list is read, `.detach()` where something may want a tensor.

## References

- https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import KeptGraph
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL403", "graph-kept-in-list", severity=Severity.WARNING, since="0.1")


@RULE.on(KeptGraph)
def keeps_the_graph(kept: KeptGraph, ctx: Context) -> Iterator[Finding]:
    target = ctx.file.code(kept.target)
    yield ctx.finding(
        RULE,
        kept.site.spot,
        f"`{target}` keeps the graph of every `{kept.loss.value}`, and the memory that goes with it",
        label="kept with its graph",
        related=[(kept.backward, "the graph is used here, and not needed any more")],
        consequence="after many steps: torch.OutOfMemoryError: CUDA out of memory.",
        fix=ctx.plan.keep_without_graph(kept),
    )

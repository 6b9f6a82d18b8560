"""Trainable tensor moved after it was made

## What it finds

`nn.Parameter(x).to(device)`, `nn.Parameter(x).cuda()`, kept by a module or given to an optimizer, and
`torch.randn(n, requires_grad=True).to(device)` that is given to an optimizer or whose `.grad` is read.

## Why it matters

A move that copies is an operation like any other: its result is no parameter and no leaf of the graph. On a device

    ValueError: can't optimize a non-leaf Tensor

or the module does not list the tensor, or its `.grad` is None. On the CPU nothing is copied, so that the program works
where it is written and fails where it is to run.

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
image = torch.zeros(3, 4, requires_grad=True).to(device)
optimizer = torch.optim.Adam([image], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    (image - 1).pow(2).mean().backward()
    optimizer.step()
print(image.shape)
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
image = torch.zeros(3, 4, requires_grad=True, device=device)
optimizer = torch.optim.Adam([image], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    (image - 1).pow(2).mean().backward()
    optimizer.step()
print(image.shape)
```

## When this is not a bug

Where a parameter is moved in order to compute with it (`self.weight.to(x.device)` in a `forward`), the gradient flows
back to it; the rule looks only at results that are kept to be trained.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import MovedLeaf
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL305", "moved-parameter-not-leaf", severity=Severity.ERROR, since="0.1")


@RULE.on(MovedLeaf)
def no_leaf_any_more(leaf: MovedLeaf, ctx: Context) -> Iterator[Finding]:
    kind = "parameter" if leaf.parameter else "leaf"
    yield ctx.finding(
        RULE,
        leaf.site.spot,
        f"`{leaf.target}` is no {kind} on a device: it is a moved copy of one",
        label="the move is the last step, and makes a copy",
        related=[(leaf.made, "made here"), (leaf.use, "to be trained here")],
        consequence="on a GPU machine: ValueError: can't optimize a non-leaf Tensor"
        if leaf.use is not None
        else "on a GPU machine: the module does not list it among its parameters, and no optimizer trains it",
        fix=ctx.plan.move_first(leaf),
    )

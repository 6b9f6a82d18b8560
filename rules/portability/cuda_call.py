"""Hardcoded `.cuda()` call

## What it finds

`x.cuda()`, `model.cuda(non_blocking=True)`, `.cuda(0)`: a move to one vendor's device, whether or not it is there.
Behind a check (`if torch.cuda.is_available():`, `if args.cuda:`, a `skipif` marker), inside a function whose own
name promises CUDA, or with a device that is chosen elsewhere (`.cuda(args.gpu)`), it is a note.

## Why it matters

On a machine without CUDA the program stops with

    AssertionError: Torch not compiled with CUDA enabled

or `RuntimeError: Found no NVIDIA driver on your system`. On a Mac or on another vendor's accelerator it never runs
where it could, and nobody can choose the second card.

## Example

```python
import torch
from torch import nn

model = nn.Linear(4, 2).cuda()
x = torch.ones(3, 4).cuda()
print(model(x).shape)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4).to(device)
print(model(x).shape)
```

## When this is not a bug

In code that drives CUDA itself: custom kernels, NCCL, CUDA graphs. A definition named `cuda` keeps its name.

## Fix safety

The fix is unsafe where the call names an index (`.cuda(0)`), where its argument is computed, and where devlint does
not know whether the object has a `.to` method. A card other than the first (`.cuda(1)`) is DVL103's.

## References

- https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.card_numbers import card_of
from devlint.analysis.facts import CudaCall
from devlint.analysis.parsed import Spot
from devlint.consequences import NO_CUDA
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL101", "cuda-call", severity=Severity.WARNING, since="0.1")


@RULE.on(CudaCall)
def hardcoded_call(call: CudaCall, ctx: Context) -> Iterator[Finding]:
    if call.site.for_cuda or card_of(call) > 0:
        return  # meant, or DVL103 speaks of it
    if call.chosen and "get_device" in call.site.spot.file.code(call.call):
        return  # to the card of another tensor
    mild = call.site.guarded or call.chosen
    assert isinstance(call.call.func, cst.Attribute)
    yield ctx.finding(
        RULE,
        Spot(call.site.spot.file, call.call.func.attr),
        "`.cuda()` runs only where CUDA is" if not mild else "`.cuda()` where `.to(device)` would run anywhere",
        severity=Severity.NOTE if mild else None,
        label="fails on a machine without CUDA" if not mild else "",
        consequence="" if mild else NO_CUDA,
        related=[(call.site.spot, "this is moved")] if _spreads(call) else [],
        fix=ctx.plan.portable_call(call),
    )


def _spreads(call: CudaCall) -> bool:
    """Whether what is moved begins on an earlier line."""
    span = call.site.spot.span
    return "\n" in call.site.spot.file.source.text[span.start : span.end]

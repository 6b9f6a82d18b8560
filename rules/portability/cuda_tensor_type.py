"""A tensor type of CUDA

## What it finds

`torch.cuda.FloatTensor(...)`, `x.type(torch.cuda.FloatTensor)`, `x.type("torch.cuda.FloatTensor")`,
`torch.set_default_tensor_type("torch.cuda.FloatTensor")`, and a variable that holds such a type and is used in one of
these ways. Behind a check for CUDA a use is a note, and a choice between the two types is nothing.

## Why it matters

The type fixes dtype and device at once, and exists only where CUDA is:

    TypeError: type torch.cuda.FloatTensor not available. Torch not compiled with CUDA enabled.

It names the current card, whatever card the rest of the program uses, and has no counterpart on other accelerators.

## Example

```python
import torch

state = torch.zeros(4, 4).type(torch.cuda.FloatTensor)
reward = torch.cuda.FloatTensor([1.0, 2.0, 0.0, 1.0])
print((state + reward).sum())
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

state = torch.zeros(4, 4).to(device, torch.float32)
reward = torch.tensor([1.0, 2.0, 0.0, 1.0], dtype=torch.float32, device=device)
print((state + reward).sum())
```

## When this is not a bug

In a type check: `isinstance(x, torch.cuda.FloatTensor)` works everywhere and is not reported, though `x.is_cuda` says
it better.

## Fix safety

Unsafe where devlint does not know that a tensor is cast or what the type is called with, and for the default type:
`torch.set_default_device` reaches more functions.

## References

- https://docs.pytorch.org/docs/stable/tensors.html
- https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import CudaTensorType, TypeUse
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL104", "cuda-tensor-type", severity=Severity.WARNING, since="0.1")


@RULE.on(CudaTensorType)
def type_of_one_vendor(fact: CudaTensorType, ctx: Context) -> Iterator[Finding]:
    mild = fact.site.guarded
    what = "the default type is" if fact.use is TypeUse.DEFAULT else "this names"
    yield ctx.finding(
        RULE,
        fact.site.spot,
        f"{what} `torch.cuda.{fact.name}`, which exists only with CUDA",
        severity=Severity.NOTE if mild else None,
        label="" if mild else "fails on a machine without CUDA",
        related=[(fact.used, "used here")],
        consequence=""
        if mild
        else f"without CUDA: TypeError: type torch.cuda.{fact.name} not available. "
        "Torch not compiled with CUDA enabled.",
        fix=ctx.plan.portable_type(fact),
    )

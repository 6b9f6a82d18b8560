"""`torch.cuda.is_available` without parentheses

## What it finds

The function itself where its answer is meant: `if torch.cuda.is_available:`, a conditional expression, `and`, `or`,
`not`, `bool(...)`, a comparison with `True` or a number, `pin_memory=torch.cuda.is_available`, or a variable that
holds the function and is asked later. `device_count` and the other backends' functions count as well.

## Why it matters

A function object is always true. On a machine without CUDA the program takes the branch for CUDA and stops with

    AssertionError: Torch not compiled with CUDA enabled

and `torch.cuda.device_count > 1` stops everywhere with
`TypeError: '>' not supported between instances of 'function' and 'int'`.

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available else "cpu")
x = torch.ones(3, 4).to(device)
print(x.sum())
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4).to(device)
print(x.sum())
```

## When this is not a bug

Where the function is handed on to be called later: `register(torch.cuda.is_available)` is not reported.

## Fix safety

Unsafe in comparisons and in text, where the answer of the expression changes on a machine with CUDA too. There is no
fix where a variable that holds the function is both asked and called.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import AvailabilityNotCalled, AvailabilityUse
from devlint.consequences import NO_CUDA
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL106", "availability-not-called", severity=Severity.ERROR, since="0.1")


@RULE.on(AvailabilityNotCalled)
def function_for_its_answer(fact: AvailabilityNotCalled, ctx: Context) -> Iterator[Finding]:
    text = fact.use is AvailabilityUse.TEXT
    yield ctx.finding(
        RULE,
        fact.site.spot,
        f"`{fact.name}` is not called" + (": the text will name a function" if text else ", so it is always true"),
        severity=Severity.WARNING if text else None,
        label="add `()`",
        related=[(fact.tested, "asked for its truth here")],
        consequence=NO_CUDA if fact.use in (AvailabilityUse.CONDITION, AvailabilityUse.ARGUMENT) else "",
        fix=ctx.plan.call_it(fact),
    )

"""Hardcoded `"cuda"` device

## What it finds

The string `"cuda"` or `"cuda:0"` where a device is wanted: `device="cuda"`, `.to("cuda")`, `torch.device("cuda")`,
`map_location="cuda"`, or a variable that holds it and is used as a device. As the default of a parameter or of a
command-line option it is a note: somebody can choose otherwise. Behind a check for CUDA it is a choice, and no finding.

## Why it matters

On a machine without CUDA the program stops with

    AssertionError: Torch not compiled with CUDA enabled

On a Mac or on another vendor's accelerator it never runs where it could. Another card than the first, `"cuda:1"`, is
DVL103's.

## Example

```python
import torch

noise = torch.randn(8, 4, device="cuda")
weight = torch.ones(4, 2).to("cuda")
print((noise @ weight).shape)
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

noise = torch.randn(8, 4, device=device)
weight = torch.ones(4, 2).to(device)
print((noise @ weight).shape)
```

## When this is not a bug

In code that cannot run elsewhere: kernels, CUDA graphs, benchmarks of one card.

## Fix safety

Unsafe where the literal names an index: another card than the one that was meant may be used.

## References

- https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.card_numbers import card_of
from devlint.analysis.facts import CudaLiteral, LiteralUse
from devlint.consequences import NO_CUDA
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL102", "cuda-literal", severity=Severity.WARNING, since="0.1")


@RULE.on(CudaLiteral)
def hardcoded_literal(use: CudaLiteral, ctx: Context) -> Iterator[Finding]:
    if use.site.for_cuda or use.site.guarded or card_of(use) > 0:
        return  # meant, or DVL103 speaks of it
    mild = use.use is LiteralUse.DEFAULT
    yield ctx.finding(
        RULE,
        use.site.spot,
        f'the device is fixed to "{use.text}"'
        if use.use is not LiteralUse.DEFAULT
        else f'the default device is "{use.text}"',
        severity=Severity.NOTE if mild else None,
        label="fails on a machine without CUDA" if not mild else "",
        consequence="" if mild else NO_CUDA,
        fix=ctx.plan.portable_literal(use),
    )

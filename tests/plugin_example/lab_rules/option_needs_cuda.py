"""A default device that not every machine has

## What it finds

`"cuda"` as the default of a parameter or of a command-line option. devlint's own DVL102 only notes it, because somebody
can choose otherwise; in this laboratory every program must start on any laptop without options.

## Why it matters

Whoever runs the program without options on a machine without CUDA reads

    AssertionError: Torch not compiled with CUDA enabled

## Example

```python
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()

weight = torch.ones(4, 2).to(args.device)
print(weight.sum().item())
```

## Use instead

```python
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
args = parser.parse_args()

weight = torch.ones(4, 2).to(args.device)
print(weight.sum().item())
```

## When this is not a bug

In a program that cannot run elsewhere.

## Fix safety

Unsafe where the default names a card, `"cuda:1"`.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import CudaLiteral, LiteralUse
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("LAB101", "option-needs-cuda", severity=Severity.WARNING, since="1.0")


@RULE.on(CudaLiteral)
def default_is_cuda(literal: CudaLiteral, ctx: Context) -> Iterator[Finding]:
    """The default names CUDA, and the file is not one that is written for CUDA alone."""
    if literal.use is LiteralUse.DEFAULT and not literal.site.for_cuda:
        yield ctx.finding(
            RULE,
            literal.site.spot,
            f'without options this needs "{literal.text}"',
            consequence="without CUDA: AssertionError: Torch not compiled with CUDA enabled",
            fix=ctx.plan.fall_back(literal),
        )

"""Second model never moved

## What it finds

A model that stays on the host in code that runs another one on a device: the teacher of a distillation, a target
network, a discriminator, the averaged copy of a model (EMA) that was taken before the move.

## Why it matters

One `.to(device)` moves one model. A copy is where the original was when it was copied.

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!

## Example

```python
import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = nn.Linear(4, 2)
target = copy.deepcopy(policy)
policy.to(device)
state = torch.ones(3, 4, device=device)
with torch.no_grad():
    expected = target(state)
print((policy(state) - expected).shape)
```

## Use instead

```python
import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = nn.Linear(4, 2)
target = copy.deepcopy(policy).to(device)
policy.to(device)
state = torch.ones(3, 4, device=device)
with torch.no_grad():
    expected = target(state)
print((policy(state) - expected).shape)
```

## When this is not a bug

A second model that is kept on the CPU on purpose says so (`ema.cpu()`, `device="cpu"`), and its inputs are brought
there.

## Fix safety

The move stands where the model is made, before its optimizer; the model of an average is moved before it is copied.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import ModelOnHost, ModelRole
from devlint.analysis.parsed import Spot
from devlint.consequences import MISMATCH_OF_WEIGHTS
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL309", "second-model-not-moved", severity=Severity.ERROR, since="0.1")


@RULE.on(ModelOnHost)
def left_behind(model: ModelOnHost, ctx: Context) -> Iterator[Finding]:
    if model.role is not ModelRole.SECOND:
        return
    name = f"`{model.name}`" if model.name else "this copy of the model"
    yield ctx.finding(
        RULE,
        model.site.spot,
        f"{name} is never moved to the device, the other model is",
        severity=None if model.device is not None else Severity.WARNING,
        label="its parameters stay on the host",
        related=[
            (model.created, "made on the host here"),
            (model.first, "the other model is moved here"),
            *(
                (
                    Spot(one.site.spot.file, one.operand),
                    "its parameters meet the other's here" if model.mixed else "fed from the device here",
                )
                for one in model.feeds[:3]
            ),
            *((call, "called here") for call in model.feeds[0].site.calls[:2]),
        ],
        consequence=MISMATCH_OF_WEIGHTS,
        fix=ctx.plan.move_second(model),
    )

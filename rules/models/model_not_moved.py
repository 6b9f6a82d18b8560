"""Model never moved to the device

## What it finds

A module that is fed from a device while its parameters are on the host; or, in a program that trains (or runs a model
over a loader) and never moves anything, every model that does the work. A model beside another one that is moved is
for `second-model-not-moved`, a loss with a weight for
`loss-weight-not-moved`.

## Why it matters

The batch is on the device, the weights are not:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!

or, with a convolution, `Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same`.
And where neither is moved the program is right and slow: it trains on the CPU while the card is idle.

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(3, 4).to(device)
model(x).mean().backward()
optimizer.step()
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(3, 4).to(device)
model(x).mean().backward()
optimizer.step()
```

## When this is not a bug

A program that chooses the CPU says so (`device = torch.device("cpu")`), and is left alone; so is a model definition, a
shape check on random numbers, a test.

## Fix safety

The move stands where the model is made, before its optimizer.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import ModelOnHost, ModelRole
from devlint.analysis.parsed import Spot
from devlint.consequences import IDLE, MISMATCH_OF_WEIGHTS
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL301", "model-not-moved", severity=Severity.ERROR, since="0.1")


@RULE.on(ModelOnHost)
def model_left_on_host(model: ModelOnHost, ctx: Context) -> Iterator[Finding]:
    if model.role is not ModelRole.MODEL:
        return
    certain = model.device is not None
    name = f"`{model.name}`" if model.name else "the model"
    yield ctx.finding(
        RULE,
        model.site.spot,
        f"{name} never moved to the device",
        severity=None if certain else Severity.WARNING,
        label="its parameters stay on the host",
        related=[
            (model.created, "made on the host here"),
            *(
                (
                    Spot(one.site.spot.file, one.operand),
                    "fed from the device here" if certain else "runs on the CPU here",
                )
                for one in model.feeds[:3]
            ),
            *((call, "called here") for call in model.feeds[0].site.calls[:2]),
        ],
        consequence=MISMATCH_OF_WEIGHTS if certain else IDLE,
        fix=ctx.plan.move_model(model),
    )

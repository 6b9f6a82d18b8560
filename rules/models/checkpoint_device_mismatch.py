"""Optimizer state loaded before the model is moved

## What it finds

`optimizer.load_state_dict(...)` while the model is still on the host, with `model.to(device)` after it.

## Why it matters

`load_state_dict` puts the momentum and the averages where the parameters are at that moment, whatever `map_location`
said. The model moves on, the state stays, and training that went well until it was resumed ends with

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

in `optimizer.step()`.

## Example

```python
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4, device=device)

first = nn.Linear(4, 1).to(device)
trained = torch.optim.Adam(first.parameters())
first(x).mean().backward()
trained.step()
file = io.BytesIO()
torch.save(trained.state_dict(), file)
file.seek(0)

model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(torch.load(file, map_location="cpu"))
model.to(device)
model(x).mean().backward()
optimizer.step()
```

## Use instead

```python
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4, device=device)

first = nn.Linear(4, 1).to(device)
trained = torch.optim.Adam(first.parameters())
first(x).mean().backward()
trained.step()
file = io.BytesIO()
torch.save(trained.state_dict(), file)
file.seek(0)

model = nn.Linear(4, 1)
model.to(device)
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(torch.load(file, map_location="cpu"))
model(x).mean().backward()
optimizer.step()
```

## When this is not a bug

An optimizer without state, `SGD` without momentum, has nothing that could stay behind.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.load_state_dict.html
- https://github.com/microsoft/Cream/issues/2
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import OptimizerBeforeMove
from devlint.consequences import MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL310", "checkpoint-device-mismatch", severity=Severity.ERROR, since="0.1")


@RULE.on(OptimizerBeforeMove)
def state_loaded_too_early(optimizer: OptimizerBeforeMove, ctx: Context) -> Iterator[Finding]:
    if optimizer.loaded is None:
        return
    yield ctx.finding(
        RULE,
        optimizer.loaded,
        f"the state of this {optimizer.kind} is loaded before the model is moved, and stays on the host",
        label="the state goes where the parameters are now",
        related=[(optimizer.site.spot, "made here"), (optimizer.moved, "the model is moved here")],
        consequence=f"{MISMATCH} (in optimizer.step)",
        fix=ctx.plan.move_before_optimizer(optimizer),
    )

"""A checkpoint loaded without `map_location`

## What it finds

`torch.load(path)`, and `torch.jit.load(path)`, of a checkpoint: its result goes to `load_state_dict`, is used as a
module, or carries the names and keys of one. Files of data are left alone, and so is a program that saves only what it
has brought to the CPU, or that never speaks of a device and saves what it loads.

## Why it matters

Tensors come back on the device that they were saved from. On a machine without CUDA the program stops with

    RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are
    running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to
    the CPU.

and on one with fewer cards with `Attempting to deserialize object on CUDA device 2 but torch.cuda.device_count() is 1`.
In a job of several processes, every process fills the memory of the first card.

## Example

```python
import os

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
if not os.path.exists("model.pt"):
    torch.save(model.state_dict(), "model.pt")
model.load_state_dict(torch.load("model.pt"))
print(model(torch.ones(3, 4, device=device)).shape)
```

## Use instead

```python
import os

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
if not os.path.exists("model.pt"):
    torch.save(model.state_dict(), "model.pt")
model.load_state_dict(torch.load("model.pt", map_location=device))
print(model(torch.ones(3, 4, device=device)).shape)
```

## When this is not a bug

Where the file is known to hold tensors of the CPU. `map_location="cpu"` costs nothing there and says so.

## Fix safety

Safe where what is loaded goes to `load_state_dict`, which copies it to where the module is. Elsewhere what is loaded
may be used where it was saved from.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.load.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import LoadUse, UnmappedLoad
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL105", "load-without-map-location", severity=Severity.WARNING, since="0.1")

_WHAT = {
    LoadUse.STATE: "a state dict",
    LoadUse.MODULE: "a model",
    LoadUse.CHECKPOINT: "a checkpoint",
}


@RULE.on(UnmappedLoad)
def loads_to_where_it_was_saved(fact: UnmappedLoad, ctx: Context) -> Iterator[Finding]:
    yield ctx.finding(
        RULE,
        fact.site.spot,
        f"{_WHAT[fact.use]} is loaded without `map_location`",
        label="fails without the device that it was saved from",
        consequence="without CUDA: RuntimeError: Attempting to deserialize object on a CUDA device but "
        "torch.cuda.is_available() is False.",
        fix=ctx.plan.map_load(fact),
    )

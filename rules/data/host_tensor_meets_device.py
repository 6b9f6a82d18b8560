"""Tensor made on the host meets a tensor on the device

## What it finds

A tensor that a factory makes on the host (`torch.zeros(n)`, `torch.arange(n)`) and that is then combined with a tensor
or a model on a device. 0-dimensional tensors and indices may stay on the host, and are left alone. What a module makes
for itself, masks, and noise that a model is fed are DVL208.

## Why it matters

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4).to(device)
weight = torch.ones(4, 2)
print((x @ weight).shape)
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4).to(device)
weight = torch.ones(4, 2, device=device)
print((x @ weight).shape)
```

## When this is not a bug

Where the tensor is meant for the host, it does not meet a device.

## Fix safety

Random tensors are made on the host as before and then moved, so that a seed gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import TensorOnHost
from devlint.analysis.loss_weights import weighs_a_loss
from devlint.analysis.model_states import belongs_to_a_model, names_of
from devlint.analysis.parsed import Spot
from devlint.consequences import IDLE, MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL203", "host-tensor-meets-device", severity=Severity.ERROR, since="0.1")


@RULE.on(TensorOnHost)
def made_on_host(tensor: TensorOnHost, ctx: Context) -> Iterator[Finding]:
    if (tensor.is_input and not tensor.origin.in_loop) or weighs_a_loss(tensor) or belongs_to_a_model(tensor):
        return
    names = names_of(tensor)
    certain = tensor.device is not None
    yield ctx.finding(
        RULE,
        tensor.origin.spot,
        f"{names or 'the tensor'} made on the host and never moved to the device",
        severity=None if certain else Severity.WARNING,
        label="made on the host here",
        related=[
            *(
                (
                    Spot(one.site.spot.file, one.operand),
                    "meets the device here" if certain else "meets the model's output here",
                )
                for one in tensor.meets
            ),
            *((call, "called here") for call in tensor.meets[0].site.calls[:2]),
            (tensor.origin.call, "made by this call"),
        ],
        consequence=MISMATCH if certain else IDLE,
        fix=ctx.plan.move_tensors(tensor),
    )

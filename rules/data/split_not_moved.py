"""Full-batch tensor never moved to the device

## What it finds

Tensors that hold a whole data set (`X_train, X_test, y_train, y_test`) and reach the model, or the loss, while they
are still on the host. Where a whole program trains and never moves anything, the finding is a warning.

## Why it matters

The model is on the device, one of the splits is not:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X_train, X_test = torch.ones(8, 4), torch.ones(2, 4)
model = nn.Linear(4, 1).to(device)
print(model(X_train).shape, model(X_test).shape)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X_train, X_test = torch.ones(8, 4), torch.ones(2, 4)
X_train, X_test = X_train.to(device), X_test.to(device)
model = nn.Linear(4, 1).to(device)
print(model(X_train).shape, model(X_test).shape)
```

## When this is not a bug

A data set that does not fit the device is moved in batches instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import TensorOnHost
from devlint.analysis.loss_weights import weighs_a_loss
from devlint.analysis.parsed import Spot
from devlint.consequences import IDLE, MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL204", "split-not-moved", severity=Severity.ERROR, since="0.1")


@RULE.on(TensorOnHost)
def split_left_on_host(tensor: TensorOnHost, ctx: Context) -> Iterator[Finding]:
    if not tensor.is_input or tensor.origin.in_loop or weighs_a_loss(tensor):
        return
    names = ", ".join(f"`{part}`" for part in dict.fromkeys(one.part for one in tensor.meets) if part)
    certain = tensor.device is not None
    yield ctx.finding(
        RULE,
        tensor.origin.spot,
        f"{names or 'the tensor'} never moved to the device",
        severity=None if certain else Severity.WARNING,
        label="on the host from here",
        related=[
            (tensor.model, "the model is on the device from here" if certain else "the model stays on the CPU too"),
            *((Spot(one.site.spot.file, one.operand), "meets the model here") for one in tensor.meets),
        ],
        consequence=MISMATCH if certain else IDLE,
        fix=ctx.plan.move_tensors(tensor),
    )

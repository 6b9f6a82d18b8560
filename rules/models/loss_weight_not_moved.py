"""Loss whose weight stays on the host

## What it finds

`nn.CrossEntropyLoss(weight=weights)` whose weight was made on the host and that is called with the output of a model on
a device; a loss module with parameters or buffers of its own that is never moved; and `weight=` of a loss function.

## Why it matters

A loss is a module: its weight is a buffer, and does not follow the model.

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
    (when checking argument for argument weight in method wrapper_CUDA_nll_loss_forward)

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.0, 3.0]))
x = torch.ones(5, 4, device=device)
y = torch.tensor([0, 1, 2, 1, 0], device=device)
print(criterion(model(x), y).item() > 0)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.0, 3.0])).to(device)
x = torch.ones(5, 4, device=device)
y = torch.tensor([0, 1, 2, 1, 0], device=device)
print(criterion(model(x), y).item() > 0)
```

## When this is not a bug

A loss without a weight has nothing to move, and is left alone.

## References

- https://github.com/pytorch/pytorch/issues/122757
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import ModelOnHost, ModelRole, TensorOnHost
from devlint.analysis.loss_weights import weighs_a_loss
from devlint.analysis.parsed import Spot
from devlint.consequences import IDLE, MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL307", "loss-weight-not-moved", severity=Severity.ERROR, since="0.1")


@RULE.on(ModelOnHost)
def loss_left_on_host(loss: ModelOnHost, ctx: Context) -> Iterator[Finding]:
    if loss.role is not ModelRole.LOSS:
        return
    certain = loss.device is not None
    yield ctx.finding(
        RULE,
        loss.site.spot,
        f"`{loss.name or 'the loss'}` is never moved to the device",
        severity=None if certain else Severity.WARNING,
        label="its weight stays on the host",
        related=[
            (loss.created, "made on the host here"),
            *(
                (Spot(one.site.spot.file, one.operand), "meets the device here" if certain else "runs on the CPU here")
                for one in loss.feeds[:3]
            ),
            *((call, "called here") for call in loss.feeds[0].site.calls[:2]),
        ],
        consequence=MISMATCH if certain else IDLE,
        fix=ctx.plan.move_model(loss),
    )


@RULE.on(TensorOnHost)
def weight_left_on_host(tensor: TensorOnHost, ctx: Context) -> Iterator[Finding]:
    if not weighs_a_loss(tensor):
        return
    certain = tensor.device is not None
    part = next((one.part for one in tensor.meets if one.part), "")
    yield ctx.finding(
        RULE,
        tensor.origin.spot,
        f"{f'`{part}`' if part else 'the weight'} is made on the host and weighs a loss on the device",
        severity=None if certain else Severity.WARNING,
        label="made on the host here",
        related=[(Spot(one.site.spot.file, one.operand), "meets the device here") for one in tensor.meets],
        consequence=MISMATCH if certain else IDLE,
        fix=ctx.plan.move_tensors(tensor),
    )

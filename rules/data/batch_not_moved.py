"""Batch never moved to the device

## What it finds

A loop over a loader (or a tensor built from rows inside a loop) whose batch reaches the model, or the loss, while it
is still on the host. Tuples, dicts and nested batches, `enumerate`, `tqdm`, `zip`, `next(iter(loader))` are followed,
and functions and files: the loop may stand in a function that is given its model. Where a whole program trains and
never moves anything, the finding is a warning: it runs, on the CPU.

## Why it matters

The model is on the device, the batch is not, and the first forward pass raises

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

Most often it is the evaluation loop that was forgotten, hours after the training loop has run.

## Example

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.ones(6, 4), torch.zeros(6, 1)), batch_size=3)
model = nn.Linear(4, 1).to(device)
for inputs, targets in loader:
    print(nn.functional.mse_loss(model(inputs), targets).item() >= 0)
```

## Use instead

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.ones(6, 4), torch.zeros(6, 1)), batch_size=3)
model = nn.Linear(4, 1).to(device)
for inputs, targets in loader:
    inputs, targets = inputs.to(device), targets.to(device)
    print(nn.functional.mse_loss(model(inputs), targets).item() >= 0)
```

## When this is not a bug

Where the model, the collate function, the dataset or a framework (Lightning, Accelerate, the Trainer of transformers)
moves the batch: devlint follows the first three and stays silent with the last.

## Fix safety

Unsafe where the batch is a dict or a list of which devlint has not seen every part: an entry may be no tensor.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import BatchOnHost, Meets
from devlint.analysis.parsed import Spot
from devlint.analysis.values import Source
from devlint.consequences import IDLE, MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL201", "batch-not-moved", severity=Severity.ERROR, since="0.1")


@RULE.on(BatchOnHost)
def batch_left_on_host(batch: BatchOnHost, ctx: Context) -> Iterator[Finding]:
    parts = list(dict.fromkeys(one.part for one in batch.meets if one.part))
    anew = batch.origin.source is Source.DATA
    names = ", ".join(f"`{part}`" for part in parts) or ("the tensor" if anew else "the batch")
    certain = batch.device is not None or batch.evidence is not None or bool(batch.unused_device)
    where = f"on `{batch.device.text.strip(chr(34))}` from here" if batch.device is not None else "made here"
    if batch.unused_device:
        message = f"the function takes `{batch.unused_device}` and never uses it: {names} never moved"
    elif anew:
        message = f"{names} {'are' if len(parts) > 1 else 'is'} made on the host anew and never moved to the device"
    else:
        message = f"batch never moved to the device: {names}"
    yield ctx.finding(
        RULE,
        batch.origin.spot,
        message,
        severity=None if certain else Severity.WARNING,
        label="stays on the host",
        related=[
            (batch.model, f"the model is {where}" if certain else "the model stays on the CPU too"),
            (batch.evidence, "the same model is given a moved batch here"),
            *((Spot(one.site.spot.file, one.operand), "and is used with it here") for one in _outermost(batch)),
            *((call, "called here") for call in batch.meets[0].site.calls[:2]),
            (batch.origin.call, "made by this call"),
        ],
        consequence=MISMATCH if certain else IDLE,
        fix=ctx.plan.move_batch(batch),
    )


def _outermost(batch: BatchOnHost) -> list[Meets]:
    """The meetings in the body that the first one stands in; those inside the model itself tell nothing new."""
    return [one for one in batch.meets if one.site.frame is batch.meets[0].site.frame]

"""Move to the device in a worker of a loader

## What it finds

A `.to(device)`, a `.cuda()` or a `torch.tensor(..., device=device)` that runs in the worker processes of a
`DataLoader` with `num_workers` of more than 0: in the `__getitem__` or `__iter__` of its dataset, in its collate
function, or in what these call. A `TensorDataset` of tensors on a device that workers read is found too.

## Why it matters

On Linux the workers are forked, and a forked process cannot use CUDA once its parent has:

    RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the
    'spawn' start method

## Example

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        point = torch.full((3,), float(index))
        return point.to(device)


model = nn.Linear(3, 1).to(device)
loader = DataLoader(Points(), batch_size=4, num_workers=1)
for points in loader:
    print(model(points).shape)
```

## Use instead

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        point = torch.full((3,), float(index))
        return point


model = nn.Linear(3, 1).to(device)
loader = DataLoader(Points(), batch_size=4, num_workers=1)
for points in loader:
    points = points.to(device)
    print(model(points).shape)
```

## When this is not a bug

With `num_workers=0` the samples are made in the main process. With `multiprocessing_context="spawn"`, or after
`set_start_method("spawn")`, workers may use CUDA, at the price of a context each. The rule is silent there, and where
the function asks `get_worker_info()`. Where the number of workers, or the device, is chosen elsewhere, it is a note.

## Fix safety

Unsafe: the loops over the loader have to move its batches instead. Those that devlint sees get their move by DVL201 in
the same run; others have to be looked for.

## References

- https://docs.pytorch.org/docs/stable/notes/multiprocessing.html
- https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import MoveInWorker
from devlint.analysis.parsed import Spot
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL207", "move-in-worker", severity=Severity.ERROR, since="0.1")
_CONSEQUENCE = "on a GPU machine: RuntimeError: Cannot re-initialize CUDA in forked subprocess"


@RULE.on(MoveInWorker)
def moves_in_a_worker(move: MoveInWorker, ctx: Context) -> Iterator[Finding]:
    severity = None if move.sure else Severity.NOTE
    if not move.calls:
        data = Spot(move.loader.file, move.data) if move.data is not None else None
        yield ctx.finding(
            RULE,
            move.site.spot,
            "the workers of the loader read tensors that are on the device",
            severity=severity,
            label="worker processes",
            related=[(data, "its tensors are on the device")],
            consequence="on a GPU machine: RuntimeError: CUDA error: initialization error",
        )
        return
    file = move.site.spot.file
    yield ctx.finding(
        RULE,
        move.site.spot,
        "moved to the device in a worker process of the loader"
        if move.sure
        else "moved to the device where the loader may have worker processes",
        severity=severity,
        label="runs in the workers",
        related=[
            *((Spot(file, call), "and so does this") for call in move.calls[1:]),
            (move.loader, "the workers"),
        ],
        consequence=_CONSEQUENCE,
        fix=ctx.plan.keep_at_home(move),
    )

"""Host tensor indexed by a tensor on the device

## What it finds

A tensor on the host that is indexed by a mask, or by positions, on a device: `features[scores > 0.5]` where the scores
are on the device. It may be read or written. And a tensor on the host that is given values of a device by a mask or by
positions: `predictions[fold] = model(x)`.

## Why it matters

On a GPU machine:

    RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)

and for the values:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
labels = torch.arange(6)
points = torch.eye(6, device=device)
nearest = (points @ points.T).argmax(dim=1)
print(labels[nearest].shape)
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
labels = torch.arange(6)
points = torch.eye(6, device=device)
nearest = (points @ points.T).argmax(dim=1)
print(labels[nearest.cpu()].shape)
```

Where the host tensor is used with the device elsewhere too, it is the tensor that has to move, and the rule that says
so speaks instead.

## When this is not a bug

The other way round is allowed: a tensor on the device may be indexed by one of the host. So may a host tensor by a
0-dimensional tensor of integers, which is read as a number. A slice or an element of a host tensor,
`predictions[start:stop] = model(x)`, takes a copy of the values wherever they are. All of these are left alone.

## References

- https://docs.pytorch.org/docs/stable/tensor_view.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import IndexElsewhere, StoredElsewhere
from devlint.analysis.parsed import Spot
from devlint.analysis.syntax import dotted
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL209", "device-index-on-host-tensor", severity=Severity.ERROR, since="0.1")


@RULE.on(IndexElsewhere)
def index_on_device(index: IndexElsewhere, ctx: Context) -> Iterator[Finding]:
    file, name = index.site.spot.file, dotted(index.owner)
    yield ctx.finding(
        RULE,
        index.site.spot,
        f"{f'`{name}`' if name else 'a tensor'} is on the host, its index is on the device",
        severity=Severity.NOTE if index.site.guarded else None,
        label="the tensor is on the host",
        related=[
            (index.made, "made on the host here"),
            *((Spot(file, part), "an index on the device") for part in index.indices),
            *((call, "called here") for call in index.site.calls[:2]),
        ],
        consequence="on a GPU machine: RuntimeError: indices should be either on cpu or on the same device as the "
        "indexed tensor (cpu)",
        fix=ctx.plan.index_on_host(index),
    )


@RULE.on(StoredElsewhere)
def values_on_device(store: StoredElsewhere, ctx: Context) -> Iterator[Finding]:
    file, name = store.site.spot.file, dotted(store.owner)
    yield ctx.finding(
        RULE,
        store.site.spot,
        f"{f'`{name}`' if name else 'a tensor'} is on the host, the values that it is given are on the device",
        severity=Severity.NOTE if store.site.guarded else None,
        label="the tensor is on the host",
        related=[
            (store.made, "made on the host here"),
            (Spot(file, store.value), "values on the device"),
            *((call, "called here") for call in store.site.calls[:2]),
        ],
        consequence="on a GPU machine: RuntimeError: Expected all tensors to be on the same device, but found at "
        "least two devices, cuda:0 and cpu!",
        fix=ctx.plan.store_from_host(store),
    )

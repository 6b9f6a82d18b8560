"""numpy reads a tensor that is on the device

## What it finds

`.numpy()`, or a function of numpy, pandas, matplotlib, scikit-learn, SciPy, that is given a tensor on a device.
So are the lengths of `pack_padded_sequence`, which torch reads on the host.

## Why it matters

    TypeError: can't convert cuda:0 device type tensor to numpy.
    Use Tensor.cpu() to copy the tensor to host memory first.

or, where the lengths of sequences were moved with the rest of their batch:

    RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
scores = model(torch.ones(3, 4).to(device))
print(scores.detach().numpy().shape)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
scores = model(torch.ones(3, 4).to(device))
print(scores.detach().cpu().numpy().shape)
```

## When this is not a bug

Where the tensor was brought home before.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import HostReadsDevice
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL205", "numpy-of-device-tensor", severity=Severity.ERROR, since="0.1")

_NUMPY = (
    "on a GPU machine: TypeError: can't convert cuda:0 device type tensor to numpy. "
    "Use Tensor.cpu() to copy the tensor to host memory first."
)
_LENGTHS = (
    "on a GPU machine: RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor"
)


@RULE.on(HostReadsDevice)
def host_reads_device(read: HostReadsDevice, ctx: Context) -> Iterator[Finding]:
    device = read.device.text.strip('"') if read.device is not None else "the device"
    numpy = read.reader == "numpy"
    reader = "numpy" if numpy else f"`{read.reader}`"
    yield ctx.finding(
        RULE,
        read.site.spot,
        f"{reader} cannot read {'tensors' if read.parts else 'a tensor'} on `{device}`",
        severity=Severity.NOTE if read.site.guarded and read.site.frame is None else None,
        label="still on the device",
        consequence=_NUMPY if numpy else _LENGTHS,
        fix=ctx.plan.bring_home(read),
    )

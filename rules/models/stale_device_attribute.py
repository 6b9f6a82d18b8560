"""Device that a module remembers from its constructor

## What it finds

A module stores a device in `__init__` (`self.device = device`), its methods place tensors there, and the module itself
has been moved elsewhere since.

## Why it matters

`model.to(device)` moves parameters and buffers. An attribute that holds a device stays what it was.

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

## Example

```python
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self, device="cpu"):
        super().__init__()
        self.device = device
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        h = self.body(x)
        return h + torch.ones(h.shape, device=self.device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Noisy().to(device)
print(net(torch.ones(3, 4, device=device)).shape)
```

## Use instead

```python
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self, device="cpu"):
        super().__init__()
        self.device = device
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        h = self.body(x)
        return h + torch.ones(h.shape, device=next(self.parameters()).device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Noisy().to(device)
print(net(torch.ones(3, 4, device=device)).shape)
```

## When this is not a bug

Where the module overrides `to` or `_apply` and keeps the attribute up to date, where the caller sets it after the move,
or where the device is a property. What the rule reports, it has seen: an instance, its move, and a use after it.

## References

- https://github.com/sooftware/conformer/issues/27
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import StaleDevice
from devlint.consequences import MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL311", "stale-device-attribute", severity=Severity.ERROR, since="0.1")


@RULE.on(StaleDevice)
def device_of_another_time(stale: StaleDevice, ctx: Context) -> Iterator[Finding]:
    text = stale.kept.device.text.strip('"') if stale.kept.device is not None else "cpu"
    yield ctx.finding(
        RULE,
        stale.site.spot,
        f"`self.{stale.name}` is still `{text}`, the module has moved",
        label="a device of the time when the module was made",
        related=[
            (stale.stored, "stored here"),
            (stale.moved, "the module is moved here"),
            *((use.spot, "used here too") for use in stale.uses[1:4]),
            *((call, "called here") for call in stale.site.calls[:2]),
        ],
        consequence=MISMATCH,
        fix=ctx.plan.follow_module(stale),
    )

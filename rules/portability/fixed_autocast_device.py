"""Mixed precision for CUDA only

## What it finds

`torch.autocast("cuda")`, `torch.amp.GradScaler("cuda")`, `torch.amp.GradScaler()` (whose default is CUDA), and
`torch.cuda.amp.autocast()` and `torch.cuda.amp.GradScaler()`, which can say nothing else and are deprecated. Behind a
check for CUDA, and where `enabled=` asks for CUDA, it is silent; with `enabled=False` it is a note.

## Why it matters

On any other device mixed precision is off, with nothing but

    UserWarning: CUDA is not available or torch_xla is imported. Disabling autocast.
    UserWarning: torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.

to tell: the program is slower than it need be on an XPU, an NPU or a Mac, and its numbers differ from those on CUDA.

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
with torch.autocast("cuda"):
    scores = model(torch.ones(3, 4, device=device))
print(scores.shape)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
with torch.autocast(device.type):
    scores = model(torch.ones(3, 4, device=device))
print(scores.shape)
```

## When this is not a bug

In code that runs on CUDA only, such as a custom kernel's wrapper.

## Fix safety

Unsafe: on the CPU, autocast was off and will compute in bfloat16.

## References

- https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import FixedAmpDevice
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL109", "fixed-autocast-device", severity=Severity.WARNING, since="0.1")

_OFF = {
    False: "without CUDA: UserWarning: CUDA is not available or torch_xla is imported. Disabling autocast.",
    True: "without CUDA: UserWarning: torch.cuda.amp.GradScaler is enabled, but CUDA is not available. Disabling.",
}


@RULE.on(FixedAmpDevice)
def precision_of_one_device(fact: FixedAmpDevice, ctx: Context) -> Iterator[Finding]:
    if fact.site.guarded:
        return
    what = "gradient scaling" if fact.scaler else "autocast"
    yield ctx.finding(
        RULE,
        fact.site.spot,
        f"{what} is switched off for CUDA only" if fact.switched_off else f"{what} works on CUDA only",
        severity=Severity.NOTE if fact.switched_off else None,
        label="" if fact.switched_off else "off on every other device",
        consequence="" if fact.switched_off else _OFF[fact.scaler],
        fix=ctx.plan.portable_amp(fact),
    )

"""Tensor attribute that is no buffer

## What it finds

`self.mean = torch.tensor(...)` in the `__init__` of a module whose methods combine it with their input or with the
module's parameters. A plain attribute stays on the host when the module is moved; a buffer goes along.

## Why it matters

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

## Example

```python
import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.4, 0.5, 0.6]).view(3, 1, 1)
        self.conv = nn.Conv2d(3, 2, 1)

    def forward(self, image):
        return self.conv(image - self.mean)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Normalize().to(device)
print(net(torch.ones(1, 3, 4, 4, device=device)).shape)
```

## Use instead

```python
import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.4, 0.5, 0.6]).view(3, 1, 1), persistent=False)
        self.conv = nn.Conv2d(3, 2, 1)

    def forward(self, image):
        return self.conv(image - self.mean)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Normalize().to(device)
print(net(torch.ones(1, 3, 4, 4, device=device)).shape)
```

Where only the class is in sight and no instance of it, it is a warning, and only if the class has parameters that are
worth moving: the program fails as soon as an instance is moved.

## When this is not a bug

Where the attribute is moved before it is used (`self.mean.to(image.device)`), where the module overrides `_apply` or
`to` and takes it along, where it is 0-dimensional, or where it only serves as an index or a number. The rule is silent
there.

## Fix safety

The buffer is not persistent, so that checkpoints keep their keys. Unsafe where the attribute is bound more than once: a
buffer takes tensors and `None` only.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import TensorAttribute
from devlint.analysis.parsed import Spot
from devlint.consequences import IDLE, MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL303", "tensor-attribute-not-buffer", severity=Severity.ERROR, since="0.1")


@RULE.on(TensorAttribute)
def plain_attribute(attribute: TensorAttribute, ctx: Context) -> Iterator[Finding]:
    certain = attribute.device is not None
    yield ctx.finding(
        RULE,
        attribute.kept.spot,
        f"`self.{attribute.kept.name}` is no buffer: it stays on the host when the module moves",
        severity=None if certain else Severity.WARNING,
        label="a plain attribute",
        related=[
            *(
                (
                    Spot(one.site.spot.file, one.operand),
                    "meets the device here" if certain else "meets what moves with the module here",
                )
                for one in attribute.meets[:3]
            ),
            (attribute.origin.spot, "made here"),
            *((call, "called here") for call in attribute.meets[0].site.calls[:2]),
        ],
        consequence=MISMATCH if certain or not attribute.instance_seen else IDLE,
        fix=ctx.plan.register_buffer(attribute),
    )

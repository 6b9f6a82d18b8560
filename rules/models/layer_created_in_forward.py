"""Layer made in `forward`

## What it finds

`nn.Linear(8, 2)(x)` in a `forward`, or in a function that it calls: a layer with parameters that is made, run and
dropped at every call.

## Why it matters

Its weights are new random numbers each time, no optimizer knows them, `state_dict()` does not save them. And they are
made on the host, so that on a device

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

Moving the layer would only silence the error.

## Example

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)

    def forward(self, x):
        x = torch.relu(self.body(x))
        return nn.Linear(8, 2)(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
print(net(torch.ones(3, 4, device=device)).shape)
```

## Use instead

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.linear = nn.Linear(8, 2)

    def forward(self, x):
        x = torch.relu(self.body(x))
        return self.linear(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
print(net(torch.ones(3, 4, device=device)).shape)
```

## When this is not a bug

Layers without parameters (`nn.ReLU()`, `nn.MaxPool2d(2)`) may be made anywhere. So may a layer that is given its
weights, is moved, or is kept for the next call; the rule leaves these alone. A size that is only known in `forward` is
what `nn.LazyLinear` is for.

## Fix safety

The rewrite is shown and never applied: from then on the layer is trained and saved, and the order in which random
weights are drawn changes.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyLinear.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import LayerMadeInForward
from devlint.consequences import MISMATCH_OF_WEIGHTS
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL308", "layer-created-in-forward", severity=Severity.ERROR, since="0.1")


@RULE.on(LayerMadeInForward)
def made_at_every_call(layer: LayerMadeInForward, ctx: Context) -> Iterator[Finding]:
    helper = layer.function is not layer.forward
    yield ctx.finding(
        RULE,
        layer.made,
        f"`{layer.forward.label}` makes a new layer at every call",
        severity=Severity.NOTE if layer.guarded else None,
        label="new weights each time, on the host",
        related=[
            (layer.site.spot, "run here"),
            *((call, "called here") for call in layer.site.calls[: 2 if helper else 0]),
        ],
        consequence=f"it is never trained, and {MISMATCH_OF_WEIGHTS}",
        fix=ctx.plan.make_once(layer),
    )

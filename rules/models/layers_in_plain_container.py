"""Layers kept in a plain list or dict

## What it finds

`self.layers = [nn.Linear(4, 4) for _ in range(3)]`, or a dict of layers, in a module that runs them. A module sees
what is assigned to its attributes and what stands in an `nn.ModuleList`, an `nn.ModuleDict` or an `nn.Sequential`; it
does not look into lists.

## Why it matters

`model.to(device)` does not move the layers, `model.parameters()` does not hold them, so that no optimizer trains them,
and `state_dict()` does not save them. With a model on a device:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

or, with a convolution, `Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same`.

## Example

```python
import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(3)]
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Stack().to(device)
print(model(torch.ones(2, 4, device=device)).shape)
```

## Use instead

```python
import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Stack().to(device)
print(model(torch.ones(2, 4, device=device)).shape)
```

## When this is not a bug

Where the layers are registered in another way (`add_module`, `setattr`, `nn.Sequential(*self.layers)`), moved one by
one, or handed to the module by somebody who keeps them out of it on purpose (`self.teacher = [teacher]`): there the
rule is silent.

## Fix safety

Unsafe: from then on the layers are trained and saved, which is what was meant, and changes the results and the names in
`state_dict()`. A dict whose keys are no strings is only reported: an `nn.ModuleDict` takes no others.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
- https://github.com/pytorch/pytorch/issues/8017
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.facts import LayersInContainer
from devlint.consequences import MISMATCH_OF_WEIGHTS
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL304", "layers-in-plain-container", severity=Severity.ERROR, since="0.1")


@RULE.on(LayersInContainer)
def unregistered_layers(kept: LayersInContainer, ctx: Context) -> Iterator[Finding]:
    a_dict = isinstance(kept.value, cst.Dict | cst.DictComp)
    kind = "dict" if a_dict else "list"
    yield ctx.finding(
        RULE,
        kept.site.spot,
        f"the layers in `self.{kept.name}` are not registered: a plain {kind} hides them from `{kept.owner.name}`",
        label="`.to()`, `parameters()` and `state_dict()` do not see them",
        related=[
            *((layer, "made here") for layer in kept.layers[:3]),
            *((use, "run here") for use in kept.runs[:2]),
        ],
        consequence=f"they are never trained, and {MISMATCH_OF_WEIGHTS}",
        fix=ctx.plan.register_layers(kept),
    )

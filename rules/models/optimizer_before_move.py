"""Optimizer made before the model is moved

## What it finds

An optimizer that is made from the parameters of a model on the host, where `model.to(device)` comes later; or where the
model's name is bound to another model, on the device, that the optimizer does not know.

## Why it matters

`Module.to` puts new data into the old parameters, so that the optimizer still holds them. What it does not move is the
state that an optimizer has by then. `Adagrad` makes its state in the constructor, the others at the first step:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

Where there is no state yet it is a note: the order is right by luck, and wrong on backends that replace the parameters
(XLA). A checkpoint that is loaded in between is for
`checkpoint-device-mismatch`.

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
model.to(device)
x = torch.ones(3, 4, device=device)
model(x).mean().backward()
optimizer.step()
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1)
model.to(device)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
x = torch.ones(3, 4, device=device)
model(x).mean().backward()
optimizer.step()
```

## When this is not a bug

With the optimizers that make their state at the first step the program works on CUDA; then the rule only gives a note.

## Fix safety

The statement that moves the model goes up, unless something between binds what it uses. Unsafe where the order does no
harm, which is rarely worth a line in a diff.

## References

- https://docs.pytorch.org/docs/stable/optim.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import OptimizerBeforeMove
from devlint.consequences import MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL306", "optimizer-before-move", severity=Severity.WARNING, since="0.1")


@RULE.on(OptimizerBeforeMove)
def made_too_early(optimizer: OptimizerBeforeMove, ctx: Context) -> Iterator[Finding]:
    if optimizer.loaded is not None:
        return
    if optimizer.replaced is not None:
        yield ctx.finding(
            RULE,
            optimizer.site.spot,
            f"this {optimizer.kind} trains a model that is replaced later, and not the new one",
            severity=Severity.ERROR,
            label="the parameters of the old model",
            related=[(optimizer.replaced, "the new model, on the device, is bound here")],
            consequence="the model that runs is never trained",
        )
        return
    crashes = optimizer.held is not None
    yield ctx.finding(
        RULE,
        optimizer.site.spot,
        f"the model of this {optimizer.kind} is moved later"
        + (", its state stays on the host" if crashes else "; move it first"),
        severity=None if crashes else Severity.NOTE,
        label="the parameters are on the host here",
        related=[(optimizer.held, "state is made here"), (optimizer.moved, "the model is moved here")],
        consequence=f"{MISMATCH} (in optimizer.step)" if crashes else "",
        fix=ctx.plan.move_before_optimizer(optimizer),
    )

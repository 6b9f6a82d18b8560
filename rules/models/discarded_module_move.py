"""`model.to()` as a statement

## What it finds

`model.to(device)` whose result is not kept, in a script or its `main()` that has made the module under this name.
Functions of libraries, attributes and tests are left alone: there it is the usual way to move a module.

## Why it matters

It works: `Module.to` moves the parameters in place. It is a note, because the same line does nothing for a tensor, and
because some wrappers (FSDP, compiled modules) return a new object.

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
model.to(device)
print(model(torch.ones(3, 4).to(device)).shape)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
model = model.to(device)
print(model(torch.ones(3, 4).to(device)).shape)
```

## When this is not a bug

Always legal for a module; ignore the rule if the short form is your style.

## Fix safety

Unsafe: the rewrite is right, and rarely worth a line in a diff.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.facts import DiscardedMove, Receiver
from devlint.analysis.parsed import is_test_file
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL302", "discarded-module-move", severity=Severity.NOTE, since="0.1")


@RULE.on(DiscardedMove)
def module_moved_in_place(move: DiscardedMove, ctx: Context) -> Iterator[Finding]:
    if move.receiver is not Receiver.MODULE or is_test_file(move.site.spot.file):
        return
    if move.site.function is not None and move.site.function.name != "main":
        return
    if isinstance(move.moved, cst.Name) and _made_here(move.moved.value, move):
        yield ctx.finding(
            RULE,
            move.site.spot,
            f"`{move.moved.value}.to()` works in place for a module, and only for a module",
            fix=ctx.plan.keep_result(move),
        )


def _made_here(name: str, move: DiscardedMove) -> bool:
    """Whether the name was assigned in the running body, and moved with `.to`: `.cuda()` is DVL101's."""
    assert isinstance(move.call.func, cst.Attribute)
    binding = move.site.frame.bound.get(name) if move.site.frame is not None else None
    return binding is not None and binding.value is not None and move.call.func.attr.value == "to"

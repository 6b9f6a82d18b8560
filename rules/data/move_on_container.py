"""`.to()` on a list, a dict, a loader

## What it finds

`.to(device)`, `.cuda()` or `.cpu()` on something that has no such method: a list, tuple or dict, a `DataLoader`, a
`Dataset`; a batch that is a plain dict or list, because of what its data set or its collate function gives; and a loop
over the parts of a batch that moves each, where one is a list of strings.

## Why it matters

On every machine:

    AttributeError: 'list' object has no attribute 'to'

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pair = [torch.ones(2, 3), torch.zeros(2, 3)]
pair = pair.to(device)
print((pair[0] + pair[1]).shape)
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pair = [torch.ones(2, 3), torch.zeros(2, 3)]
pair = [part.to(device) for part in pair]
print((pair[0] + pair[1]).shape)
```

A loader is not moved at all: its batches are, in the loop.

## When this is not a bug

Objects that look like dicts or tuples and do have a `.to`, as a `BatchEncoding`, a `PackedSequence` or a batch of
PyTorch Geometric, are left alone, and so is code that asks first (`hasattr(x, "to")`, `isinstance(x, torch.Tensor)`).

## Fix safety

Unsafe where it is not known that all parts are tensors, and where the program catches the `AttributeError`.

## References

- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
- https://github.com/kdexd/virtex/issues/8
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import MoveOnContainer
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL206", "move-on-container", severity=Severity.ERROR, since="0.1")


@RULE.on(MoveOnContainer)
def moves_a_container(move: MoveOnContainer, ctx: Context) -> Iterator[Finding]:
    text = ctx.file.code(move.moved)
    what = f"`{text}`" if len(text) <= 40 and "\n" not in text else "this"
    method = ctx.file.code(move.call.func).rpartition(".")[2]
    kind = "int" if move.kind == "number" else move.kind
    if move.one_of:
        keys = ", ".join(repr(key) for key, _ in move.still)
        message = f"not every part of the batch can be moved: {keys} is a {move.kind}"
    else:
        message = f"{what} is a {move.kind}, which cannot be moved as one"
    yield ctx.finding(
        RULE,
        move.site.spot,
        message,
        severity=Severity.NOTE if move.caught else None,
        label=f"has no `.{method}()`",
        related=[(move.made, "bound here"), *((call, "called here") for call in move.site.calls[:1])],
        consequence=f"on every machine: AttributeError: '{kind}' object has no attribute '{method}'",
        fix=ctx.plan.move_parts(move),
    )

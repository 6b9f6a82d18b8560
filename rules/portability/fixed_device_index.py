"""A card named by its number

## What it finds

`"cuda:1"` where a device is wanted, `.cuda(1)`, `.to(1)`, `torch.device("cuda", 1)`, `torch.cuda.set_device(1)`,
`with torch.cuda.device(1):`, and `device_ids=[0, 1]` of `DataParallel` and its relatives. That CUDA is there does not
mean that a second card is: `"cuda:1" if torch.cuda.is_available() else "cpu"` is reported as well. Left alone are code
that counts the cards (`torch.cuda.device_count()`), and a function or a test that is made for a machine with several; a
default that somebody can change is a note.

## Why it matters

On a machine with fewer cards the program stops with

    RuntimeError: CUDA error: invalid device ordinal

and on one without CUDA with `AssertionError: Torch not compiled with CUDA enabled`. On a shared machine
everybody's jobs meet on one card.

## Example

```python
import torch
from torch import nn

model = nn.Linear(4, 2).to("cuda:1")
x = torch.ones(3, 4).cuda(1)
print(model(x).shape)
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4).to(device)
print(model(x).shape)
```

Choose the card from outside: `CUDA_VISIBLE_DEVICES=1 python train.py`, or an option `--device cuda:1`.

## When this is not a bug

In a script written for one machine, and in code that splits a model over cards on purpose.

## Fix safety

Unsafe: the number may have been chosen.

## References

- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.card_numbers import card_of, knows_its_cards
from devlint.analysis.facts import CudaCall, CudaLiteral, FixedIndex, IndexUse, LiteralUse
from devlint.analysis.parsed import Spot
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL103", "fixed-device-index", severity=Severity.WARNING, since="0.1")

_ORDINAL = "with fewer cards: RuntimeError: CUDA error: invalid device ordinal"


@RULE.on(CudaCall)
def moved_to_a_number(call: CudaCall, ctx: Context) -> Iterator[Finding]:
    card = card_of(call)
    if card == 0 or call.chosen or knows_its_cards(call.site):
        return
    assert isinstance(call.call.func, cst.Attribute)
    yield ctx.finding(
        RULE,
        Spot(call.site.spot.file, call.call.func.attr),
        f"card {card} is fixed here",
        label="fails where there are fewer cards",
        consequence=_ORDINAL,
        fix=ctx.plan.first_card(call) if call.site.guarded else ctx.plan.portable_call(call),
    )


@RULE.on(CudaLiteral)
def device_with_a_number(use: CudaLiteral, ctx: Context) -> Iterator[Finding]:
    card = card_of(use)
    if card == 0 or knows_its_cards(use.site):
        return
    default = use.use is LiteralUse.DEFAULT
    yield ctx.finding(
        RULE,
        use.site.spot,
        f"card {card} is the default" if default else f"card {card} is fixed here",
        severity=Severity.NOTE if default else None,
        label="" if default else "fails where there are fewer cards",
        consequence="" if default else _ORDINAL,
        fix=ctx.plan.first_card(use) if use.site.guarded else ctx.plan.portable_literal(use),
    )


@RULE.on(FixedIndex)
def number_for_a_device(fact: FixedIndex, ctx: Context) -> Iterator[Finding]:
    if knows_its_cards(fact.site) or (fact.index == 0 and fact.site.guarded):
        return
    match fact.use:
        case IndexUse.PARALLEL:
            message = "the cards are fixed here"
        case IndexUse.CURRENT if fact.index == 0:
            message = "`torch.cuda.set_device` works on CUDA only"
        case _:
            message = f"card {fact.index} is fixed here"
    yield ctx.finding(
        RULE,
        fact.site.spot,
        message,
        label="fails where there are fewer cards",
        consequence=_ORDINAL,
        fix=ctx.plan.any_card(fact),
    )

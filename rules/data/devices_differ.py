"""Two different devices meet

## What it finds

- A loader that shuffles, or `random_split`, in a program that has set a default device: it makes its positions on that
  device and draws them from the generator of the host.
- A card by its number in the `forward` of a module that `nn.DataParallel` runs on several cards at once.
- A tensor on one card (`cuda:0`) that is combined with a tensor, or fed to a model, on another (`cuda:1`).

## Why it matters

With a default device:

    RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'

With two cards:

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!

## Example

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(device)
model = nn.Linear(3, 1)
data = TensorDataset(torch.ones(8, 3))
loader = DataLoader(data, batch_size=4, shuffle=True)
for (inputs,) in loader:
    print(model(inputs).shape)
```

## Use instead

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(device)
model = nn.Linear(3, 1)
data = TensorDataset(torch.ones(8, 3))
loader = DataLoader(data, batch_size=4, shuffle=True, generator=torch.Generator(device=device))
for (inputs,) in loader:
    print(model(inputs).shape)
```

## When this is not a bug

Where a model is split over cards, its forward moves what it hands from one to the next: devlint follows such moves. A
card without a number is the current one, and in a copy of `nn.DataParallel` that is the card of the copy. A number that
is computed is not known. The rule is silent in all of these.

## Fix safety

A generator of its own makes the loader shuffle in the same order in every run, so that fix is unsafe: seed it with
`.manual_seed(...)` where that matters. A move from one card to the other is unsafe too: the other operand may be the
one that is in the wrong place. In a forward the device of the input is taken, which is safe.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import CardsMeet, FixedInReplica, LoaderOffDefault
from devlint.analysis.parsed import Spot
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL211", "devices-differ", severity=Severity.ERROR, since="0.1")
_TWO = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, "


@RULE.on(LoaderOffDefault)
def loader_draws_on_host(loader: LoaderOffDefault, ctx: Context) -> Iterator[Finding]:
    what = "the split draws its positions" if loader.split else "the loader shuffles"
    yield ctx.finding(
        RULE,
        loader.site.spot,
        f"{what} with the generator of the host, the default device is an accelerator",
        severity=None if loader.sure and not loader.site.guarded else Severity.NOTE,
        label="draws on the host",
        related=[(loader.default, "the default device is set here")],
        consequence="on a GPU machine: RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'",
        fix=ctx.plan.draw_on_default(loader),
    )


@RULE.on(FixedInReplica)
def one_card_for_all_copies(fixed: FixedInReplica, ctx: Context) -> Iterator[Finding]:
    yield ctx.finding(
        RULE,
        fixed.site.spot,
        f"card {fixed.device.index} for every copy of a module that DataParallel runs on several cards",
        severity=Severity.NOTE if fixed.site.guarded else None,
        label="on the same card in every copy",
        related=[(call, "called here") for call in fixed.site.calls[:2]],
        consequence=f"with two GPUs: {_TWO}cuda:1 and cuda:{fixed.device.index}!",
        fix=ctx.plan.follow_input(fixed),
    )


@RULE.on(CardsMeet)
def cards_meet(meeting: CardsMeet, ctx: Context) -> Iterator[Finding]:
    file = meeting.site.spot.file
    here, there = (f"cuda:{device.index or 0}" for device in (meeting.here, meeting.there))
    partner = Spot(file, meeting.partner) if meeting.partner is not None else None
    yield ctx.finding(
        RULE,
        Spot(file, meeting.operand),
        f"a tensor on {here} meets {'one' if partner is not None else 'a model'} on {there}",
        severity=Severity.NOTE if meeting.site.guarded else None,
        label=f"on {here}",
        related=[
            (partner if partner is not None else meeting.site.spot, f"on {there}"),
            *((call, "called here") for call in meeting.site.calls[:2]),
        ],
        consequence=f"with two GPUs: {_TWO}{there} and {here}!",
        fix=ctx.plan.join_partner(meeting),
    )

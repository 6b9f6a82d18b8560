"""Random generator on another device

## What it finds

A `torch.Generator` of the host that is to fill a tensor on a device, or one of a device that is given to a
`DataLoader`, a sampler, `random_split` or `torch.randperm`, which draw on the host.

## Why it matters

On a GPU machine:

    RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'

and the other way round for a loader that shuffles.

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)
noise = torch.randn(2, 3, generator=generator, device=device)
print((noise @ noise.T).shape)
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator(device=device).manual_seed(0)
noise = torch.randn(2, 3, generator=generator, device=device)
print((noise @ noise.T).shape)
```

## When this is not a bug

Numbers may be drawn on the host on purpose, so that a seed gives the same everywhere, and moved afterwards:
`torch.randn(2, 3, generator=generator).to(device)` is left alone.

## Fix safety

Safe where nothing on the other side uses the same generator.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import GeneratorElsewhere
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL210", "generator-on-other-device", severity=Severity.ERROR, since="0.1")


@RULE.on(GeneratorElsewhere)
def generator_elsewhere(draw: GeneratorElsewhere, ctx: Context) -> Iterator[Finding]:
    there, here = ("the device", "the host") if draw.place.on_device else ("the host", "the device")
    wanted, found = ("cpu", "cuda") if draw.place.on_device else ("cuda", "cpu")
    what = "the loader draws" if draw.loads else "the numbers are drawn"
    yield ctx.finding(
        RULE,
        draw.site.spot,
        f"the generator is on {there}, {what} on {here}",
        label=f"a generator of {there}",
        related=[(draw.made.spot if draw.made is not None else None, "made here")],
        consequence=f"on a GPU machine: RuntimeError: Expected a '{wanted}' device type for generator "
        f"but found '{found}'",
        fix=ctx.plan.agree_on_generator(draw),
    )

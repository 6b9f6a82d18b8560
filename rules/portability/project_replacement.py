"""A library's function for which the project has its own

## What it finds

Names that the project's table maps to a twin of its own: `torch.cuda.synchronize` where the project has a device
layer, `torch.distributed.barrier` where it wraps the process group. Their import by name (`from torch.cuda import
synchronize`) counts as well. Without a table the rule finds nothing.

## Why it matters

A device layer works only as long as nobody goes round it. One call of `torch.cuda.synchronize()` in a project that runs
on several backends fails on all of them but one:

    AssertionError: Torch not compiled with CUDA enabled

## Example

With `replace = { "torch.cuda.synchronize" = "torch.get_device_module().synchronize" }` and `ignore = ["DVL108"]`:

```python
import torch

total = torch.ones(3).to("cuda" if torch.cuda.is_available() else "cpu").sum()
torch.cuda.synchronize()
print(total.item())
```

## Use instead

```python
import torch

total = torch.ones(3).to("cuda" if torch.cuda.is_available() else "cpu").sum()
torch.get_device_module().synchronize()
print(total.item())
```

## When this is not a bug

In the device layer itself: allow it there with `allow-paths = { DVL110 = ["src/platforms/*"] }`.

## Fix safety

Unsafe: devlint does not know that the twin takes the same arguments.

## Options

`replace` maps a dotted name (`.*` at its end covers what is below it) to the twin's name, or to a table of `with` (the
twin), `import` (the statement that it needs) and `message` (why). `"*.is_cuda"` stands for an attribute or a method of
anything, and takes a `message` only. `allow-paths` maps a rule to the files that may do what it forbids.

## References

- https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import WatchedName
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.replacement import replacement_of
from devlint.rule import Rule

RULE = Rule("DVL110", "project-replacement", severity=Severity.WARNING, since="0.1")


@RULE.on(WatchedName)
def goes_round_the_project(fact: WatchedName, ctx: Context) -> Iterator[Finding]:
    row = replacement_of(fact.name, ctx.settings.replace)
    if row is None:
        return
    twin = row.twin_of(fact.name)
    advice = f"the project uses `{twin}`" if twin else "the project does without it"
    yield ctx.finding(
        RULE,
        fact.site.spot,
        f"`{fact.name.removeprefix('*')}`: {row.message or advice}",
        label=advice if row.message else "",
        fix=ctx.plan.project_twin(fact, row),
    )

"""A `torch.device` compared with a string

## What it finds

`x.device == "cuda"`, `device != "cpu"`, `x.device in ("cuda", "mps")`, `"cuda" in x.device` and
`x.device.startswith("cuda")` where the left side is a `torch.device` object; and `device.type == "cuda:0"`, since a
type never holds an index. A variable that holds a string, `str(x.device)` and `x.device.type` are compared rightly.

## Why it matters

A device never equals a string. `==` is always false and `!=` always true, on every machine: the branch for the GPU is
never taken, or the one that must not run on the CPU always is. `"cuda" in device` raises

    TypeError: argument of type 'torch.device' is not iterable

## Example

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4, device=device)
if device != "cpu":
    torch.cuda.synchronize()
print(x.sum())
```

## Use instead

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4, device=device)
if device.type != "cpu":
    torch.cuda.synchronize()
print(x.sum())
```

## When this is not a bug

Where the variable holds a string. devlint reports only what it has seen to be a `torch.device`.

## Fix safety

Unsafe: code that never ran will run, or code that always ran will not.

## References

- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import DeviceCheck, DeviceComparedToString
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL107", "device-compared-to-string", severity=Severity.ERROR, since="0.1")

_RAISES = {
    DeviceCheck.CONTAINS: "everywhere: TypeError: argument of type 'torch.device' is not iterable",
    DeviceCheck.STARTS: "everywhere: AttributeError: 'torch.device' object has no attribute 'startswith'",
}


@RULE.on(DeviceComparedToString)
def never_equal(fact: DeviceComparedToString, ctx: Context) -> Iterator[Finding]:
    always = "true" if fact.differs else "false"
    match fact.check:
        case DeviceCheck.TYPE_WITH_INDEX:
            message = f"a device's type holds no index: this is always {always}"
        case DeviceCheck.CONTAINS | DeviceCheck.STARTS:
            message = "a `torch.device` is no string"
        case _:
            message = f"a `torch.device` never equals a string: this is always {always}"
    yield ctx.finding(
        RULE,
        fact.site.spot,
        message,
        label="a `torch.device`",
        consequence=_RAISES.get(fact.check, ""),
        fix=ctx.plan.compare_type(fact),
    )

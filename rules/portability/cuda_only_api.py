"""A function that only CUDA has

## What it finds

Calls of functions of `torch.cuda` that stop on a machine without CUDA: `synchronize`, `Event`, `Stream`, `set_device`,
`current_device`, `get_device_name`, `get_device_properties`, `mem_get_info`, `reset_peak_memory_stats`, `nvtx` ...
Those that quietly do nothing there (`empty_cache`, `memory_allocated`) are a note, and only where the project asks
for `device-style = "accelerator"`. Left alone are code behind a check for CUDA, a function or class whose own name
promises CUDA, and files that talk to CUDA itself (TensorRT, Triton, CuPy).

Whether a function stops was measured, and the version of torch that brought its portable twin was read from torch's
releases: see `devlint/analysis/cuda_api_table.py`.

## Why it matters

    AssertionError: Torch not compiled with CUDA enabled
    AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'
    RuntimeError: Tried to instantiate dummy base class Event

## Example

```python
import time

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.ones(32, 32, device=device)
start = time.perf_counter()
b = a @ a
torch.cuda.synchronize()
print(b.shape, time.perf_counter() - start >= 0)
```

## Use instead

```python
import time

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.ones(32, 32, device=device)
start = time.perf_counter()
b = a @ a
if torch.cuda.is_available():
    torch.cuda.synchronize()
print(b.shape, time.perf_counter() - start >= 0)
```

## When this is not a bug

In code that drives CUDA itself. `torch.accelerator` has twins of many of these functions, and they too stop on a
machine without an accelerator: the check stays needed.

## Fix safety

A call that is a statement gets a check. With `device-style = "accelerator"`, and a `target-torch` that has it, the call
becomes that of its twin in `torch.accelerator`. Unsafe where the call has arguments: they may name a device that the
check does not ask for. A call whose value is used has no fix.

## Options

`target-torch`, `device-style`.

## References

- https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.cuda_api_table import CUDA_APIS
from devlint.analysis.facts import CudaApiCall
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL108", "cuda-only-api", severity=Severity.WARNING, since="0.1")


@RULE.on(CudaApiCall)
def function_of_one_vendor(fact: CudaApiCall, ctx: Context) -> Iterator[Finding]:
    api = CUDA_APIS[fact.name]
    twin = ctx.plan.twin(fact.name)
    if fact.site.guarded or (fact.launcher and fact.name == "set_device"):
        return
    if not api.error and (not twin or ctx.settings.device_style != "accelerator"):
        return
    what = "works on CUDA only" if api.error else "does nothing on other accelerators"
    yield ctx.finding(
        RULE,
        fact.site.spot,
        f"`torch.cuda.{fact.name}` {what}" + (f"; `{twin}` is its portable twin" if twin else ""),
        severity=None if api.error else Severity.NOTE,
        label="fails on a machine without CUDA" if api.error else "",
        consequence=f"without CUDA: {api.error}" if api.error else "",
        fix=ctx.plan.guard_api(fact),
    )

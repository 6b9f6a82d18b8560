"""Gradients must be where their tensors are: what the C++ engine checks, checked from the ledger.

One of no dimension is brought there. Source: `validate_outputs` in torch/csrc/autograd/engine.cpp, seen to hold with
tensors of the "meta" device.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import graph

from devlint.verify import messages
from devlint.verify.ledger import Ledger
from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation


def install_gradients(sim: Simulation, patches: Patches) -> None:
    """Check the gradients given to `backward`, and those that custom functions return."""
    _roots(sim.ledger, patches)
    _custom_functions(sim.ledger, patches)
    _groups(sim.ledger, patches)


def _roots(ledger: Ledger, patches: Patches) -> None:
    real = graph._engine_run_backward

    def run(outputs: Any, *args: Any, **options: Any) -> Any:
        grads = args[0] if args else options.get("grad_tensors", ())
        checked = list(grads)
        for index, (output, grad) in enumerate(zip(outputs, grads, strict=False)):
            if isinstance(output, torch.Tensor) and isinstance(grad, torch.Tensor):
                checked[index] = _at(ledger, "", index, ledger.device(output), grad)
        if args:
            return real(outputs, tuple(checked), *args[1:], **options)
        return real(outputs, **{**options, "grad_tensors": tuple(checked)})

    for module in (graph, torch.autograd):
        if getattr(module, "_engine_run_backward", None) is real:
            patches.set(module, "_engine_run_backward", run)


def _at(ledger: Ledger, function: str, index: int, expected: torch.device, grad: torch.Tensor) -> torch.Tensor:
    """A gradient that is where it has to be, or is brought there since it is a number.

    function: who gives it, empty for the gradients handed to `backward`. Raises RuntimeError as torch does.
    """
    if (got := ledger.device(grad)) == expected:
        return grad
    if grad.dim() == 0:
        return grad.to(expected)
    who = f"Function {function} returned an " if function else ""
    raise RuntimeError(who + messages.GRADIENT.format(index, expected, got))


def _custom_functions(ledger: Ledger, patches: Patches) -> None:
    function: Any = torch.autograd.Function
    node: Any = torch.autograd.function.BackwardCFunction
    real_apply, real_backward = vars(function)["apply"], node.apply

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        out = real_apply.__func__(cls, *args, **kwargs)
        first = out[0] if isinstance(out, tuple) and out else out
        grad_fn = getattr(first, "grad_fn", None)
        if isinstance(grad_fn, node):
            homes = [ledger.device(arg) if isinstance(arg, torch.Tensor) else None for arg in args]
            grad_fn.__dict__.setdefault("_devlint_homes", homes)
        return out

    def backward(self: Any, *args: Any) -> Any:
        grads = real_backward(self, *args)
        homes = getattr(self, "_devlint_homes", ())
        checked = list(grads) if isinstance(grads, tuple) else [grads]
        for index, (home, grad) in enumerate(zip(homes, checked, strict=False)):
            if home is not None and isinstance(grad, torch.Tensor):
                checked[index] = _at(ledger, type(self).__name__, index, home, grad)
        return tuple(checked) if isinstance(grads, tuple) else checked[0]

    patches.set(function, "apply", classmethod(apply))
    patches.set(node, "apply", backward)


def _groups(ledger: Ledger, patches: Patches) -> None:
    """Optimizers and gradient clipping sort tensors by device in C++."""
    real: Any = torch._C._group_tensors_by_device_and_dtype

    def group(tensorlistlist: Any, with_indices: bool = False) -> Any:
        groups: dict[Any, Any] = {}
        for (_, dtype), (lists, indices) in real(tensorlistlist, True).items():
            for row, index in enumerate(indices):
                leader = next(column[row] for column in lists if column and column[row] is not None)
                home = groups.setdefault((ledger.device(leader), dtype), ([[] for _ in lists], []))
                for column, into in zip(lists, home[0], strict=True):
                    if column:
                        into.append(column[row])
                home[1].append(index)
        return groups if with_indices else {key: (lists, []) for key, (lists, _) in groups.items()}

    patches.set(torch._C, "_group_tensors_by_device_and_dtype", group)

"""What the lower mode needs to know of an operator, worked out once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from devlint.verify.tally import UNCOUNTED, formulas

aten = torch.ops.aten

READS = {aten._local_scalar_dense, aten.equal, aten.is_nonzero, aten.nonzero}
"""Bring a value to the host, which waits for the device."""

HOST_RESULTS = {aten._pack_padded_sequence: 1}
"""Operators of which one result is always on the host, with its position."""


@dataclass(slots=True)
class Operator:
    """One overload.

    composite: only a name for others (seen whole under `torch.inference_mode`), which are to be seen one by
    one.
    call: runs it, without the overload's own Python.
    foreign: not an ATen operator (`prim`, a higher-order one): no schema to look at.
    counted: computes, as opposed to moving, viewing and allocating. formula: counts its FLOPs.
    """

    func: Any
    call: Any
    composite: bool = False
    foreign: bool = False
    random: bool = False
    takes_generator: bool = False
    counted: bool = False
    copies: bool = False
    reads: bool = False
    formula: Callable[..., int] | None = None
    host_result: int | None = None
    custom: bool = False
    """Of a library of its own (torch.library): its kernel may be written in Python."""


OPERATORS: dict[int, Operator] = {}
"""By the id of the overload: its own hash is a call of Python's."""


def learned(func: Any) -> Operator:
    """Look an operator up and remember it."""
    if not isinstance(func, torch._ops.OpOverload) or func.namespace == "prim":
        known = Operator(func, func, foreign=True)
    else:
        packet = func._overloadpacket
        formula = formulas().get(packet)
        composite, host = torch._C.DispatchKey.CompositeImplicitAutograd, torch._C.DispatchKey.CPU
        has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
        name = str(func._name)
        known = Operator(
            func,
            func._op if type(func) is torch._ops.OpOverload else func,
            composite=formula is None and has_kernel(name, composite) and not has_kernel(name, host),
            custom=func.namespace not in ("aten", "prims"),
            random=torch.Tag.nondeterministic_seeded in func.tags,
            takes_generator=any(argument.name == "generator" for argument in func._schema.arguments),
            counted=packet not in UNCOUNTED and not func.is_view,
            copies=packet is aten.copy_,
            reads=packet in READS,
            formula=formula,
            host_result=HOST_RESULTS.get(packet),
        )
    OPERATORS[id(func)] = known
    return known

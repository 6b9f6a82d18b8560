"""The table of what ops do when tensors of several devices meet: the side of the result, or torch's error.

One short rule per family, registered under the names of its ops; ops that no rule names are checked as torch
declares them (declarations.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.declarations import Declaration, declarations
from devlint.verify.ledger import HOST, UNDECIDED


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor argument of an op; `written` where the op writes to it."""

    name: str
    tensor: torch.Tensor
    device: torch.device
    written: bool

    @property
    def is_host_scalar(self) -> bool:
        return self.device is HOST and not self.written and self.tensor.dim() == 0


class Refused(Exception):
    """Two devices met where torch allows one; `operands` are the two that disagree."""

    def __init__(self, text: str, *operands: Operand) -> None:
        super().__init__(text)
        self.operands = operands


Rule = Callable[[Any, Sequence[Operand]], torch.device]
RULES: dict[str, Rule] = {}


def placement(*names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return register


def side_of_result(op: Any, operands: Sequence[Operand]) -> torch.device:
    """The device of the results of `op`. Raises Refused with torch's text."""
    name = op._overloadpacket.__name__
    rule = RULES.get(name) or (foreach if name.startswith("_foreach_") else as_declared)
    return rule(op, operands)


@placement("copy_", "_to_copy", "fill_", "fill", "set_", "is_same_size", "resize_as_", "lift_fresh", "_local_scalar_dense", "_pack_padded_sequence")
@placement("_has_compatible_shallow_copy_type", "_ctc_loss", "_cudnn_ctc_loss", "expand_as", "view_as", "_make_dual")
@placement("_nested_view_from_jagged", "_nested_view_from_buffer", "_nested_tensor_from_mask", "is_set_to")
def of_first(op: Any, operands: Sequence[Operand]) -> torch.device:
    """Ops that read across devices: the result stays where the first argument is."""
    return operands[0].device


@placement("index", "_unsafe_index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put")
@placement("_unsafe_masked_index", "_unsafe_masked_index_put_accumulate")
def indexing(op: Any, operands: Sequence[Operand]) -> torch.device:
    """A host index may index a device tensor, the reverse may not; values must be there, unless they are one number."""
    base = operands[0]
    for operand in operands[1:]:
        if operand.device in (base.device, UNDECIDED):
            continue
        if operand.name == "indices":
            if operand.device is not HOST:
                raise Refused(messages.INDICES.format(device=base.device), base, operand)
        elif operand.tensor.dim() > 0:
            raise two_devices(base, operand)
    return base.device


@placement("masked_fill", "masked_fill_")
def masked_fill(op: Any, operands: Sequence[Operand]) -> torch.device:
    """The mask must be where the tensor is; the value may be one number from anywhere."""
    base, mask = operands[0], operands[1]
    if mask.device is not base.device and UNDECIDED not in (mask.device, base.device):
        text = messages.MASKED_FILL.format(mask=mask.device, device=base.device)
        raise Refused(text, base, mask)
    return base.device if base.device is not UNDECIDED else mask.device


@placement("convolution", "_convolution", "convolution_overrideable", "_slow_conv2d_forward", "convolution_backward")
def convolution(op: Any, operands: Sequence[Operand]) -> torch.device:
    data = operands[0]
    for operand in operands[1:]:
        if operand.device not in (data.device, UNDECIDED) and data.device is not UNDECIDED:
            argument = "weight" if operand.name != "bias" else "bias"
            text = messages.CONVOLUTION_HOST if data.device is HOST else messages.CONVOLUTION
            names = {"input": type_name(data), "parameter": type_name(operand), "argument": argument}
            raise Refused(text.format(**names), data, operand)
    return common(operands)


@placement("grid_sampler_2d", "grid_sampler_3d", "grid_sampler", "_grid_sampler_2d_cpu_fallback")
def grid_sampler(op: Any, operands: Sequence[Operand]) -> torch.device:
    data, grid = operands[0], operands[1]
    if data.device is not grid.device and UNDECIDED not in (data.device, grid.device):
        raise Refused(messages.GRID.format(device=data.device, grid=grid.device), data, grid)
    return common(operands)


@placement("embedding")
def embedding(op: Any, operands: Sequence[Operand]) -> torch.device:
    """Runs as `index_select` of the table, so the message names that (aten/src/ATen/native/Embedding.cpp)."""
    renamed = {"weight": "self", "indices": "index"}
    return strict("wrapper_CUDA__index_select", [_named(o, renamed.get(o.name, o.name)) for o in operands])


@placement("stack", "_stack")
def stack(op: Any, operands: Sequence[Operand]) -> torch.device:
    return strict("wrapper_CUDA_cat", operands)


@placement("_fused_adam_", "_fused_adamw_", "_fused_sgd_", "_fused_adagrad_", "_group_tensors")
def grouped(op: Any, operands: Sequence[Operand]) -> torch.device:
    first = operands[0]
    for operand in operands:
        if operand.device is not first.device and not (operand.name == "state_steps" and operand.device is HOST):
            raise Refused(messages.GROUPED, first, operand)
    return first.device


def foreach(op: Any, operands: Sequence[Operand]) -> torch.device:
    """Lists are joined by position; on mixed devices torch takes the slow path, one elementwise op per position."""
    lists: dict[str, list[Operand]] = {}
    for operand in operands:
        lists.setdefault(operand.name, []).append(operand)
    length = max(len(group) for group in lists.values())
    for position in range(length):
        joined = [group[position] for group in lists.values() if len(group) == length]
        shared = [group[0] for group in lists.values() if len(group) == 1 < length]
        elementwise(op, joined + shared)
    return operands[0].device


def as_declared(op: Any, operands: Sequence[Operand]) -> torch.device:
    """An op without a rule of its own: elementwise, checked by its wrapper, or neither."""
    schema = op._schema
    name = schema.name.partition("::")[2] + (f".{schema.overload_name}" if schema.overload_name else "")
    declared = declarations().get(name, _UNKNOWN)
    if declared.iterator:
        return elementwise(op, operands)
    if declared.checked:
        return strict(declared.method, operands)
    return same(operands)


_UNKNOWN = Declaration(iterator=False, checked=False, method="")


def elementwise(op: Any, operands: Sequence[Operand]) -> torch.device:
    """TensorIterator: the first device that is not the host decides; one 0-dim host tensor may take part."""
    ordered = sorted(operands, key=lambda o: not o.written)
    lead = next((o for o in ordered if o.device not in (HOST, UNDECIDED)), None)
    if lead is None:
        return common(operands)
    scalars = 0
    for operand in ordered:
        if operand.device in (lead.device, UNDECIDED):
            continue
        if not operand.is_host_scalar:
            raise two_devices(lead, operand)
        scalars += 1
        if scalars > _MAX_HOST_SCALARS.get(op._overloadpacket.__name__, 1):
            raise Refused(messages.CPU_SCALARS, lead, operand)
    return lead.device


_MAX_HOST_SCALARS = {"where": 3, "clamp": 2, "clamp_": 2}
"""`where` and `clamp` bring 0-dim host tensors over before the iterator counts them."""


def strict(method: str, operands: Sequence[Operand]) -> torch.device:
    """The generated wrapper: every tensor, 0-dim ones too, on the device of the first."""
    first = next((o for o in operands if o.device is not UNDECIDED), operands[0])
    for operand in operands:
        if operand.device not in (first.device, UNDECIDED):
            names = {"argument": operand.name, "device": operand.device, "common": first.device, "method": method}
            raise Refused(messages.DIFFERENT_ARGUMENT.format(**names), first, operand)
    return first.device


def same(operands: Sequence[Operand]) -> torch.device:
    first = next((o for o in operands if o.device is not UNDECIDED), operands[0])
    for operand in operands:
        if operand.device not in (first.device, UNDECIDED):
            raise two_devices(first, operand)
    return first.device


def two_devices(one: Operand, other: Operand) -> Refused:
    first, second = sorted((one, other), key=lambda o: o.device is HOST)
    return Refused(messages.TWO_DEVICES.format(first=first.device, second=second.device), one, other)


def common(operands: Sequence[Operand]) -> torch.device:
    """The side of operands that are known to agree."""
    return next((o.device for o in operands if o.device is not UNDECIDED), UNDECIDED)


def type_name(operand: Operand) -> str:
    """`torch.cuda.FloatTensor`, as torch prints the type of a tensor."""
    with torch._C.DisableTorchFunction():
        name = torch._C.TensorBase.type(operand.tensor)
    return name if operand.device is HOST else name.replace("torch.", "torch.cuda.", 1)


def _named(operand: Operand, name: str) -> Operand:
    return Operand(name, operand.tensor, operand.device, operand.written)

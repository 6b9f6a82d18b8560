"""May these operands meet, and where does the result go: a table of the operators that are not like the
others.

Without an entry all operands must be on one device; a 0-dim host tensor may join an elementwise operation, as
TensorIterator allows (aten/src/ATen/TensorIterator.cpp, `allow_cpu_scalars`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

import torch

from devlint.verify import messages
from devlint.verify.device_checks import device_check
from devlint.verify.ledger import Ledger
from devlint.verify.machine import CPU
from devlint.verify.simulation import tensors_in

aten = torch.ops.aten
Rule = Callable[[Ledger, Any, Sequence[Any], dict[str, Any]], torch.device]
"""Given the operands, the device of the result; raises RuntimeError with torch's own message."""

RULES: dict[Any, Rule] = {}


def rule(*packets: str) -> Callable[[Rule], Rule]:
    """Register the rule of some operators; names that this torch does not have are passed over."""

    def register(function: Rule) -> Rule:
        for name in packets:
            if hasattr(aten, name):
                RULES[getattr(aten, name)] = function
        return function

    return register


def placement(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """The device of the results of an operation whose operands are not all on one device."""
    if not isinstance(func, torch._ops.OpOverload):
        return _any(ledger, args, kwargs)
    special = RULES.get(func._overloadpacket)
    if special is not None:
        return special(ledger, func, args, kwargs)
    if func._overloadpacket.__name__.startswith("_foreach_"):
        return _foreach(ledger, func, args, kwargs)
    return usual(ledger, func, args, kwargs)


def _any(ledger: Ledger, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """Operators without a schema: one device for all."""
    devices = [ledger.device(tensor) for tensor in tensors_in(args, kwargs) if tensor.dim()]
    first = next((device for device in devices if device is not CPU), CPU)
    if other := next((device for device in devices if device != first), None):
        raise RuntimeError(messages.AT_LEAST_TWO.format(first, other))
    return first


def usual(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """One device for all; 0-dim host tensors are excepted in elementwise operations, unless they are
    written.
    """
    named = named_operands(func, args, kwargs)
    devices = [ledger.device(tensor) for _, tensor, _ in named]
    accelerators = [device for device in devices if device is not CPU]
    common = accelerators[0] if accelerators else CPU
    scalars = 0
    for (_, tensor, written), device in zip(named, devices, strict=True):
        if device == common:
            continue
        if written or device is not CPU or tensor.dim() or not takes_host_scalars(func):
            raise_different(ledger, func, named)
        scalars += 1
    if scalars > 1:
        raise RuntimeError(messages.TOO_MANY_SCALARS)
    if scalars:
        for (_, tensor, _), device in zip(named, devices, strict=True):
            if device != common and tensor.requires_grad:
                gradient_comes_home(ledger, tensor)
    return common


def gradient_comes_home(ledger: Ledger, tensor: torch.Tensor) -> None:
    """The engine brings the gradient of a 0-dim operand to where that is.

    torch/csrc/autograd/engine.cpp, `validate_outputs`.
    """
    if "_devlint_gradient_comes_home" in tensor.__dict__:
        return
    tensor.__dict__["_devlint_gradient_comes_home"] = True

    def bring(gradient: torch.Tensor) -> torch.Tensor:
        return gradient if ledger.device(gradient) == CPU else gradient.cpu()

    tensor.register_hook(bring)  # type: ignore[no-untyped-call]


@cache
def takes_host_scalars(func: Any) -> bool:
    """Whether TensorIterator lets a 0-dim host tensor join: elementwise, and not stopped by the
    dispatcher before.
    """
    packet = func._overloadpacket
    elementwise = packet in TOLERANT or (torch.Tag.pointwise in func.tags and packet not in STRICT)
    return elementwise and not device_check(declared_name(func)).checked


def declared_name(func: Any) -> str:
    """As the operator list calls it, such as `index.Tensor`."""
    name = str(func._schema.name).removeprefix("aten::")
    return f"{name}.{func._schema.overload_name}" if func._schema.overload_name else name


STRICT = {aten.complex, aten.polar}
"""Elementwise, but their iterators take no host scalars."""


TOLERANT = {
    getattr(aten, name)
    for name in [
        "rsub",
        "floor_divide",
        "mse_loss",
        "smooth_l1_loss",
        "soft_margin_loss",
        "binary_cross_entropy_with_logits",
    ]
    if hasattr(aten, name)
}
"""Elementwise by their kernels, though not marked so."""


def named_operands(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[tuple[str, Any, bool]]:
    """(parameter name, tensor, is it written to) for each tensor among the arguments, in the order of
    the schema.
    """
    found = []
    for index, parameter in enumerate(func._schema.arguments):
        value = args[index] if index < len(args) else kwargs.get(parameter.name)
        written = parameter.alias_info is not None and parameter.alias_info.is_write
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(tensor, torch.Tensor):
                found.append((parameter.name, tensor, written))
    return found


def raise_different(ledger: Ledger, func: Any, named: list[tuple[str, Any, bool]]) -> NoReturn:
    """The message of the dispatcher's check, or TensorIterator's, whichever this operator meets first."""
    name = func._schema.name.removeprefix("aten::")
    overload = func._schema.overload_name
    check = device_check(declared_name(func))
    devices = [ledger.device(tensor) for _, tensor, _ in named]
    if check.checked:
        argument, device = next((n, d) for (n, _, _), d in zip(named, devices, strict=True) if d != devices[0])
        method = f"wrapper_CUDA_{name}" if check.structured else f"wrapper_CUDA_{overload}_{name}"
        raise RuntimeError(
            messages.DIFFERENT.format(argument=argument, device=device, common=devices[0], method=method)
        )
    first = next((device for device in devices if device is not CPU), devices[0])
    other = next(device for device in devices if device != first)
    raise RuntimeError(messages.AT_LEAST_TWO.format(first, other))


def _foreach(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """Lists may hold tensors of several devices; the i-th tensors of all lists must share one
    (ForeachUtils.h, slow path).
    """
    lists = [value for value in (*args, *kwargs.values()) if _tensors(value)]
    singles = [value for value in (*args, *kwargs.values()) if isinstance(value, torch.Tensor) and value.dim() > 0]
    if func._overloadpacket is aten._foreach_copy_:
        return ledger.device(lists[0][0])
    for column in zip(*lists, strict=False):
        tensors = [tensor for tensor in (*column, *singles) if isinstance(tensor, torch.Tensor)]
        devices = [ledger.device(tensor) for tensor in tensors]
        firm = [d for t, d in zip(tensors, devices, strict=True) if t.dim() > 0 or d is not CPU]
        if any(device != firm[0] for device in firm):
            first = next(device for device in firm if device is not CPU)
            other = next(device for device in firm if device != first)
            raise RuntimeError(messages.AT_LEAST_TWO.format(first, other))
    return ledger.device(lists[0][0])


def _tensors(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value)


@rule("copy_", "_to_copy", "_local_scalar_dense", "detach", "is_same_size", "_has_compatible_shallow_copy_type")
@rule(
    "set_",
    "_copy_from",
    "_copy_from_and_resize",
    "resize_as_",
    "_pack_padded_sequence",
    "_pack_padded_sequence_backward",
    "copy",
    "data",
)
@rule("slice_scatter", "select_scatter", "diagonal_scatter", "as_strided_scatter")
@rule("_ctc_loss", "_ctc_loss_backward", "_use_cudnn_ctc_loss", "record_stream", "_coalesced_")
def of_the_first(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """Operators that take any mixture and answer where their first operand is."""
    return ledger.device(args[0])


@rule("fill", "fill_")
def filled(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """The value must be 0-dim (torch checks that itself) and may be anywhere."""
    return ledger.device(args[0])


@rule("masked_fill", "masked_fill_")
def masked(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """aten/src/ATen/native/cuda/IndexKernel.cpp: the mask with its base, the 0-dim value anywhere."""
    base, mask = ledger.device(args[0]), ledger.device(args[1])
    if base != mask:
        raise RuntimeError(messages.MASK.format(mask=mask, base=base))
    return base


@rule("where")
def where(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """aten/src/ATen/native/TensorCompare.cpp: 0-dim host tensors, the condition too, go where the
    others are.
    """
    operands = [value for value in args[:3] if isinstance(value, torch.Tensor)]
    home = next((device for value in operands if (device := ledger.device(value)) is not CPU), CPU)
    for value in operands:
        device = ledger.device(value)
        if device != home and (value.dim() or device is not CPU):
            raise RuntimeError(messages.AT_LEAST_TWO.format(home, device))
    return home


@rule("index", "_unsafe_index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put")
def indexed(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """aten/src/ATen/native/TensorAdvancedIndexing.cpp: host indices are moved to the base, 0-dim values
    too.
    """
    base = ledger.device(args[0])
    for index in args[1]:
        if isinstance(index, torch.Tensor) and ledger.device(index) not in (base, CPU):
            raise RuntimeError(messages.INDICES.format(base.type))
    values = args[2] if len(args) > 2 else kwargs.get("values")
    if isinstance(values, torch.Tensor) and values.dim() > 0 and ledger.device(values) != base:
        first, other = sorted((base, ledger.device(values)), key=lambda device: device is CPU)
        raise RuntimeError(messages.AT_LEAST_TWO.format(first, other))
    return base


@rule("convolution", "_convolution", "convolution_overrideable")
def convolution(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """aten/src/ATen/native/Convolution.cpp, `check_input_same_type_as_parameters`."""
    source, weight, bias = args[0], args[1], args[2]
    home = ledger.device(source)
    if ledger.device(weight) != home:
        if ledger.device(weight).type == home.type:
            return usual(ledger, func, args, kwargs)
        raise RuntimeError(
            messages.INPUT_AND_WEIGHT.format(input=type_name(ledger, source), weight=type_name(ledger, weight))
        )
    if bias is not None and ledger.device(bias) != home:
        raise RuntimeError(
            messages.INPUT_AND_BIAS.format(input=type_name(ledger, source), bias=type_name(ledger, bias))
        )
    return home


@rule("grid_sampler_2d", "grid_sampler_3d", "_grid_sampler_2d_cpu_fallback")
def grid(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """aten/src/ATen/native/GridSamplerUtils.h."""
    if ledger.device(args[0]) != ledger.device(args[1]):
        raise RuntimeError(messages.GRID.format(ledger.device(args[0]), ledger.device(args[1])))
    return ledger.device(args[0])


@rule("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math")
def attention(ledger: Ledger, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.device:
    """aten/src/ATen/native/transformers/attention.cpp, `validate_sdpa_input`."""
    devices = [ledger.device(value) for value in args[:3]]
    if any(device != devices[0] for device in devices):
        raise RuntimeError(messages.ATTENTION.format(*devices))
    return usual(ledger, func, args, kwargs)


def type_name(ledger: Ledger, tensor: Any) -> str:
    """The legacy type string, such as `torch.cuda.FloatTensor`."""
    with torch._C.DisableTorchFunction():
        text: str = tensor.type()
    return text if ledger.device(tensor) is CPU else text.replace("torch.", "torch.cuda.", 1)

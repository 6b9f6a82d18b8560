"""Values that name a device: `torch.device(...)`, strings, indices, and names that can only be devices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.placement import HOME, UNKNOWN, Certainty, Device, Placement, Where, on
from devlint.analysis.syntax import dotted
from devlint.analysis.torch_table import LEGACY_TENSORS
from devlint.analysis.values import Const, DeviceValue, External, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

ACCELERATORS = frozenset({"cuda", "mps", "xpu", "npu", "hpu", "mtia"})
_DEVICE_NAME = re.compile(r"(^|[._])(device|dev|gpu|cuda|rank|local_rank|gpu_id|device_id)s?$|device", re.IGNORECASE)
_DTYPE_NAME = re.compile(r"dtype|(^|[._])(float|half|double|int|long|bfloat|type)", re.IGNORECASE)


def as_device(value: Value) -> Placement | None:
    """Where something moved to this value would live; None if the value names no device."""
    match value:
        case DeviceValue(place=place):
            return place
        case Const(value=str(text)):
            return named(text)
        case _:
            return None


def named(text: str) -> Placement | None:
    """The placement a device string names: `"cuda:1"`, `"cpu"`."""
    kind, _, index = text.partition(":")
    if kind == "cpu":
        return HOME
    if kind in ACCELERATORS:
        return on(Device(repr(text).replace("'", '"'), Certainty.LITERAL, int(index) if index.isdigit() else None))
    return None


def is_accelerator_literal(value: object) -> bool:
    return isinstance(value, str) and value.partition(":")[0] in ACCELERATORS


def is_cuda_literal(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"cuda(:\d+)?", value) is not None


_CUDA_TYPE = re.compile(r"torch\.(?:cuda|xpu)\.(\w*Tensor)")


def cuda_tensor_type(value: Value) -> str:
    """`FloatTensor` for `torch.cuda.FloatTensor` and for the string that names it, else nothing."""
    name = value.name if isinstance(value, External) else value.value if isinstance(value, Const) else None
    match = _CUDA_TYPE.fullmatch(name) if isinstance(name, str) else None
    return match[1] if match is not None and match[1] in LEGACY_TENSORS else ""


def target_of_move(run: Interpreter, value: Value, node: cst.BaseExpression) -> Placement | None:
    """Where `.to(node)` places something: None when `node` is a dtype or nothing that is known to be a device."""
    place = named_by(value, node)
    if run.meetings.stale.used(value, node):
        return UNKNOWN
    if place is not None and place.on_device:
        run.meetings.device_used = True
    return place


def named_by(value: Value, node: cst.BaseExpression) -> Placement | None:
    """As `target_of_move`, and nothing is noted."""
    if (place := as_device(value)) is not None:
        if place.device is not None and (text := _expression_text(node)):
            return on(Device(text, place.device.certainty, place.device.index))
        return place
    match value:
        case Tensor(place=place):
            return place
        case External(name=name) if name.startswith("torch."):
            return None
        case _:
            text = _expression_text(node)
            if isinstance(value, Const) and isinstance(value.value, int) and not isinstance(value.value, bool):
                return on(Device(str(value.value), Certainty.LITERAL, value.value))
            if text and _DTYPE_NAME.search(text) is None and _DEVICE_NAME.search(text):
                return on(Device(text, Certainty.OPAQUE))
            return None


def names_a_dtype(value: Value, node: cst.BaseExpression) -> bool:
    """`x.to(torch.float16)`, `x.to(y.dtype)`, `x.to(float_type)`: the place is kept."""
    if isinstance(value, External):
        return True
    text = _expression_text(node) or (value.symbol if isinstance(value, Unknown) else "")
    return says_dtype(text)


def says_dtype(text: str) -> bool:
    """Whether an expression is a dtype by its looks."""
    return _DTYPE_NAME.search(text) is not None and _DEVICE_NAME.search(text) is None


_SETTINGS = re.compile(
    r"(arg|cfg|conf|opt|hparam|param|setting|flag|self|cls|trainer|accelerator|fabric|runner|agent|ctx|context|env|state|C$)",
    re.I,
)


def holds_settings(symbol: str) -> bool:
    """Whether `symbol.device` is a choice somebody made, rather than the place of a tensor that was passed in."""
    return _SETTINGS.search(symbol.rpartition(".")[2]) is not None or symbol.endswith(".self")


def looks_like_device(name: str, value: Value) -> bool:
    """Whether a name in scope can be given to `.to()`: it holds an accelerator, or it is a parameter called device."""
    match value:
        case DeviceValue(place=place):
            return place.where is not Where.HOME
        case Const(value=str(text)):
            return is_accelerator_literal(text)
        case Unknown():
            return name.lower() in {"device", "dev", "torch_device"}
        case _:
            return False


def _expression_text(node: cst.BaseExpression) -> str:
    """`device`, `self.device`, `args.device`, `next(model.parameters()).device`: an expression fit to be repeated."""
    if text := dotted(node):
        return text
    match node:
        case cst.Attribute(
            value=cst.Call(func=cst.Name(value="next"), args=[cst.Arg(value=inner)]), attr=cst.Name(value="device")
        ):
            if isinstance(inner, cst.Call) and (source := dotted(inner.func)):
                return f"next({source}()).device"
    return ""

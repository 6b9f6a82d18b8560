"""Conditions: is this branch taken everywhere, or only where an accelerator is (or is not)?"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.placement import Where
from devlint.analysis.syntax import dotted, literal
from devlint.analysis.values import (
    Array,
    Batch,
    Class,
    Const,
    DeviceValue,
    External,
    Flag,
    Function,
    Instance,
    Items,
    Loader,
    Module,
    Optimizer,
    Table,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


class Truth(Enum):
    TRUE = "true"
    FALSE = "false"
    PRESENT = "only with an accelerator"
    ABSENT = "only without one"
    UNKNOWN = "unknown"


_OPPOSITE = {
    Truth.TRUE: Truth.FALSE,
    Truth.FALSE: Truth.TRUE,
    Truth.PRESENT: Truth.ABSENT,
    Truth.ABSENT: Truth.PRESENT,
    Truth.UNKNOWN: Truth.UNKNOWN,
}

AVAILABILITY = re.compile(
    r"^torch\.(cuda|xpu|mps|npu|mtia|hpu|accelerator|backends\.mps|backends\.cuda)\.(is_available|is_built|is_bf16_supported|device_count)$"
)
ACCELERATOR_NAME = re.compile(r"(cuda|rocm|gpu|(?<![a-z])mps(?![a-z])|accelerator)", re.IGNORECASE)
NEGATED_NAME = re.compile(
    r"(no_?(cuda|gpu)|(cuda|gpu)_?(disabled|off)|disable_?(cuda|gpu)|use_?cpu|cpu_?only|force_?cpu|(^|[._])cpu$)",
    re.IGNORECASE,
)

_CONCRETE = (Tensor, Batch, Module, Instance, Items, Table, Loader, DeviceValue, Array, Function, Class, Optimizer)


def truth(interpreter: Interpreter, node: cst.BaseExpression) -> Truth:
    """What is known about a condition. Evaluates what it contains, so moves in it are seen."""
    kind = type(node)
    if kind is cst.UnaryOperation and type(node.operator) is cst.Not:  # type: ignore[attr-defined]
        return _OPPOSITE[truth(interpreter, node.expression)]  # type: ignore[attr-defined]
    if kind is cst.BooleanOperation:
        assert isinstance(node, cst.BooleanOperation)
        is_and = type(node.operator) is cst.And
        first = truth(interpreter, node.left)
        behind = first is (Truth.PRESENT if is_and else Truth.ABSENT)
        frame = interpreter.frame
        frame.guard += behind
        try:
            second = truth(interpreter, node.right)
        finally:
            frame.guard -= behind
        return (_both if is_and else _either)(first, second)
    if kind is cst.Comparison:
        assert isinstance(node, cst.Comparison)
        if len(node.comparisons) == 1:
            return _comparison(interpreter, node.left, node.comparisons[0])
    if kind is cst.Call:
        assert isinstance(node, cst.Call)
        if (known := _instance_check(interpreter, node) or _prefix_check(interpreter, node)) is not None:
            return known
    if kind is cst.NamedExpr:
        assert isinstance(node, cst.NamedExpr)
        return of_value(interpreter.evaluate(node), node.value)
    value = interpreter.evaluate(node)
    interpreter.meetings.portability.tested(node, value)
    return of_value(value, node)


def needs_accelerator_to_fail(interpreter: Interpreter, node: cst.BaseExpression) -> bool:
    """`device.type != "cuda" or ...`: where this is false, an accelerator is present."""
    while isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        if truth(interpreter, node.right) is Truth.ABSENT:
            return True
        node = node.left
    return truth(interpreter, node) is Truth.ABSENT


def asks_for_tensor(node: cst.BaseExpression) -> bool:
    """`isinstance(part, torch.Tensor)`, `hasattr(part, "to")`: what fails this has no place."""
    if not isinstance(node, cst.Call):
        return False
    name = dotted(node.func).rpartition(".")[2]
    return name in {"isinstance", "is_tensor"} or (
        name == "hasattr" and len(node.args) == 2 and literal(node.args[1].value) in {"to", "cuda"}
    )


def _instance_check(interpreter: Interpreter, node: cst.Call) -> Truth | None:
    """`isinstance(x, torch.Tensor)` and `torch.is_tensor(x)` where the kind of `x` is known."""
    name = dotted(node.func)
    if name.endswith("is_tensor") and len(node.args) == 1:
        wanted = ["torch.Tensor"]
    elif name == "isinstance" and len(node.args) == 2:
        classes = node.args[1].value
        parts = [e.value for e in classes.elements] if isinstance(classes, cst.Tuple) else [classes]
        values = [interpreter.evaluate(part) for part in parts]
        if not all(isinstance(value, External) for value in values):
            return None
        wanted = [value.name for value in values if isinstance(value, External)]
    else:
        return None
    value = interpreter.evaluate(node.args[0].value)
    kinds = [kind for cls, kind in _CHECKED.items() if isinstance(value, cls)]
    if isinstance(value, DeviceValue) and value.is_object is not None:
        kinds = [("torch.device" if value.is_object else "builtins.str",)]
    if not kinds or isinstance(value, Batch):
        return None
    if any(kind in wanted for kind in kinds[0]):
        return Truth.TRUE
    decided = {kind for group in _CHECKED.values() for kind in group}
    return Truth.FALSE if all(kind in decided for kind in wanted) else None


def _prefix_check(interpreter: Interpreter, node: cst.Call) -> Truth | None:
    """`device.startswith("cuda")`, `str(device).startswith("cpu")`."""
    match node:
        case cst.Call(
            func=cst.Attribute(value=receiver, attr=cst.Name(value="startswith")), args=[cst.Arg(value=prefix)]
        ):
            named = literal(prefix)
            if named != "cpu" and not _names_accelerator(named):
                return None
            interpreter.evaluate(node)
            if not _is_device(interpreter.evaluate(receiver)) and not _device_like(receiver):
                return None
            return Truth.ABSENT if named == "cpu" else Truth.PRESENT
    return None


_CHECKED: dict[type, tuple[str, ...]] = {
    Tensor: ("torch.Tensor", "torch.autograd.Variable"),
    Array: ("numpy.ndarray",),
    Module: ("torch.nn.Module",),
    DeviceValue: ("torch.device", "builtins.str"),
    Items: ("builtins.list", "builtins.tuple"),
    Table: ("builtins.dict",),
}


def of_value(value: Value, node: cst.BaseExpression) -> Truth:
    match value:
        case Flag(present=present):
            return Truth.PRESENT if present else Truth.ABSENT
        case Const(value=constant):
            if by_name(node) is Truth.UNKNOWN:
                return Truth.TRUE if constant else Truth.FALSE
            return by_name(node)
        case Module() | Instance() | Function() | Class() | DeviceValue():
            return Truth.TRUE
        case _:
            return by_name(node)


def by_name(node: cst.BaseExpression) -> Truth:
    """What the names in a condition say: `args.cuda`, `use_gpu`, `opt.no_cuda`."""
    text = dotted(node)
    if not text and isinstance(node, cst.Call):
        text = dotted(node.func)
    if not text and isinstance(node, cst.Attribute):
        text = node.attr.value
    if isinstance(node, cst.Subscript):
        text = (
            dotted(node.value)
            + "."
            + "".join(str(literal(e.slice.value)) for e in node.slice if isinstance(e.slice, cst.Index))
        )
    if NEGATED_NAME.search(text):
        return Truth.ABSENT
    if ACCELERATOR_NAME.search(text):
        return Truth.PRESENT
    return Truth.UNKNOWN


def _both(a: Truth, b: Truth) -> Truth:
    if Truth.FALSE in (a, b):
        return Truth.FALSE
    for decisive in (Truth.PRESENT, Truth.ABSENT, Truth.UNKNOWN):
        if decisive in (a, b):
            return decisive
    return Truth.TRUE


def _either(a: Truth, b: Truth) -> Truth:
    if Truth.TRUE in (a, b):
        return Truth.TRUE
    if a is Truth.FALSE:
        return b
    if b is Truth.FALSE or a is b:
        return a
    return Truth.UNKNOWN


def _comparison(interpreter: Interpreter, left: cst.BaseExpression, target: cst.ComparisonTarget) -> Truth:
    operator, right = target.operator, target.comparator
    a, b = interpreter.evaluate(left), interpreter.evaluate(right)
    interpreter.meetings.portability.compared(left, a, target, b)
    if isinstance(operator, cst.Is | cst.IsNot | cst.Equal | cst.NotEqual):
        same = _same(a, b, left, right)
        if isinstance(operator, cst.IsNot | cst.NotEqual):
            same = _OPPOSITE[same]
        return same
    if isinstance(operator, cst.In | cst.NotIn):
        if _names_accelerator(literal(left)) and (_is_device(b) or _device_like(right)):
            return Truth.PRESENT if isinstance(operator, cst.In) else Truth.ABSENT
        return Truth.UNKNOWN
    if isinstance(operator, cst.GreaterThan | cst.GreaterThanEqual):
        return Truth.PRESENT if by_name(left) is Truth.PRESENT or isinstance(a, Flag) else Truth.UNKNOWN
    if isinstance(operator, cst.LessThan | cst.LessThanEqual) and literal(right) in (0, 1):
        return Truth.ABSENT if by_name(left) is Truth.PRESENT else Truth.UNKNOWN
    return Truth.UNKNOWN


def _same(a: Value, b: Value, left: cst.BaseExpression, right: cst.BaseExpression) -> Truth:
    for value, other, node in ((a, b, left), (b, a, right)):
        if isinstance(other, Const) and other.value is None:
            if isinstance(value, Const):
                return Truth.TRUE if value.value is None else Truth.FALSE
            if isinstance(value, _CONCRETE):
                return Truth.FALSE
            if isinstance(value, Flag):
                return Truth.ABSENT if value.present else Truth.PRESENT
            if by_name(node) is Truth.PRESENT:
                return Truth.ABSENT
            return Truth.UNKNOWN
    for value, node, other, other_node in ((a, left, b, right), (b, right, a, left)):
        named = literal(other_node)
        if named == "nccl" or dotted(other_node).endswith("Backend.NCCL"):
            return Truth.PRESENT
        if isinstance(other, DeviceValue) and isinstance(named, str) is False and not isinstance(value, DeviceValue):
            continue
        if _names_accelerator(named) and (_is_device(value) or _device_like(node)):
            return Truth.PRESENT
        if named == "cpu" and (_is_device(value) or _device_like(node)):
            return Truth.ABSENT
        if named in (-1, 0) and named is not False and by_name(node) is Truth.PRESENT:
            return Truth.ABSENT
    if isinstance(a, Const) and isinstance(b, Const):
        return Truth.TRUE if a.value == b.value else Truth.FALSE
    if isinstance(a, External) and a.name == "builtins.__name__":
        return Truth.TRUE
    return Truth.UNKNOWN


def _names_accelerator(value: object) -> bool:
    return isinstance(value, str) and value.partition(":")[0] in {"cuda", "mps", "xpu", "gpu", "npu", "hpu"}


def _is_device(value: Value) -> bool:
    return isinstance(value, DeviceValue) and value.place.where is not Where.HOME


def _device_like(node: cst.BaseExpression) -> bool:
    match node:
        case cst.Call(func=func, args=args):
            return _device_like(func) or any(_device_like(arg.value) for arg in args)
        case cst.Attribute(attr=cst.Name(value="type"), value=value):
            return _device_like(value)
        case cst.Attribute(attr=cst.Name(value="device")):
            return True
        case _:
            return "device" in dotted(node).lower()

"""Comparisons of a `torch.device` with a string, which are never equal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.devices import is_accelerator_literal
from devlint.analysis.facts import DeviceCheck, DeviceComparedToString
from devlint.analysis.parsed import ParsedFile
from devlint.analysis.syntax import descendants, dotted
from devlint.analysis.values import Const, DeviceValue, Items, Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

_DEVICE_CLASSES = frozenset({"torch.device", "device"})
_TENSOR_CLASSES = frozenset({"torch.Tensor", "Tensor", "torch.FloatTensor", "torch.LongTensor"})
_ONLY_TENSORS = (
    r"\.(shape\b|size\(|dim\(|ndim\b|numel\(|view\(|reshape\(|unsqueeze\(|squeeze\(|permute\(|transpose\(|requires_grad\b"
    r"|is_cuda\b|contiguous\(|new_zeros\(|new_ones\(|new_tensor\(|backward\()"
)


class DeviceChecks:
    """The comparisons of one run, by the node that compares."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, DeviceComparedToString] = {}
        self._set: dict[ParsedFile, dict[str, bool]] = {}
        """By file, the names that are assigned to, and whether all of it is `torch.device(...)`."""

    def compared(self, left: cst.BaseExpression, a: Value, target: cst.ComparisonTarget, b: Value) -> None:
        """`a == b`, `a != b`, `a in b`, `a not in b`."""
        operator, right = target.operator, target.comparator
        match operator:
            case cst.Equal() | cst.NotEqual():
                differs = isinstance(operator, cst.NotEqual)
                for device, value, other, other_value in ((left, a, right, b), (right, b, left, a)):
                    if (texts := self._strings(other_value)) is None:
                        continue
                    if _asks_type(device, value) and texts and is_accelerator_literal(texts[0]) and ":" in texts[0]:
                        self._note(left, DeviceCheck.TYPE_WITH_INDEX, device, other, texts, differs)
                    elif self._is_device(device, value) and not (differs and self._only_moves()):
                        self._note(left, DeviceCheck.EQUALS, device, other, texts, differs)
            case cst.In() | cst.NotIn():
                differs = isinstance(operator, cst.NotIn)
                if isinstance(b, Items) and b.items and self._is_device(left, a):
                    parts = [self._strings(item) for item in b.items]
                    texts = tuple(text for part in parts if part for text in part)
                    if len(texts) == len(parts):
                        self._note(left, DeviceCheck.MEMBER, left, right, texts, differs)
                elif (found := self._strings(a)) and self._is_device(right, b):
                    self._note(left, DeviceCheck.CONTAINS, right, left, found, differs)

    def call_seen(self, node: cst.Call, name: str, receiver: Value | None, arguments: Arguments) -> None:
        """`x.device.startswith("cuda")`: a `torch.device` has no such method."""
        if name != "startswith" or receiver is None or len(arguments) != 1:
            return
        assert isinstance(node.func, cst.Attribute)
        if (texts := self._strings(arguments[0].value)) and self._is_device(node.func.value, receiver):
            device = node.func.value
            self._note(node, DeviceCheck.STARTS, device, arguments[0].node, texts, False)

    def _note(
        self,
        node: cst.BaseExpression,
        check: DeviceCheck,
        device: cst.BaseExpression,
        other: cst.BaseExpression,
        texts: tuple[str, ...],
        differs: bool,
    ) -> None:
        if node not in self.found and not self._asked_rightly_too(device):
            site = self.run.meetings.site(device)
            self.found[node] = DeviceComparedToString(site, check, device, other, texts, differs)

    def _strings(self, value: Value) -> tuple[str, ...] | None:
        """The device names that a value holds as strings; empty for a string that is not known, None for others."""
        match value:
            case Const(value=str(text)):
                return (text,)
            case DeviceValue(is_object=False, place=place) if place.device is not None and "(" not in place.device.text:
                return ()
            case _:
                return None

    def _is_device(self, node: cst.BaseExpression, value: Value) -> bool:
        """Whether an expression gives a `torch.device` object."""
        match value:
            case DeviceValue(is_object=bool(known)):
                return known
            case _ if self._always_set_to_device(node):
                return True
            case DeviceValue() if isinstance(node, cst.Attribute) and node.attr.value == "device":
                base = dotted(node.value)
                if not base or base.partition(".")[0] in {"self", "cls"}:
                    return False
                return _names_class(self._annotation(base), _TENSOR_CLASSES) or (
                    self.run.meetings.uses.text_has(rf"(?<![\w.]){re.escape(base)}{_ONLY_TENSORS}")
                )
            case DeviceValue() if isinstance(node, cst.Name):
                bound = self.run.frame.bound.get(node.value)
                given = bound.value if bound is not None else None
                return isinstance(given, cst.Attribute) and self._is_device(given, value)
            case Unknown(symbol=symbol) if symbol and isinstance(node, cst.Name):
                return symbol.rpartition(".")[2] == node.value and _names_class(
                    self._annotation(node.value), _DEVICE_CLASSES
                )
            case _:
                return False

    def _always_set_to_device(self, node: cst.BaseExpression) -> bool:
        """Whether every assignment of the file to `args.device` gives it a `torch.device`."""
        text = dotted(node)
        if text.count(".") != 1 or text.startswith(("self.", "cls.")):
            return False
        file = self.run.frame.file
        if file not in self._set:
            self._set[file] = {}
            for part in descendants(file.module):
                if isinstance(part, cst.Assign):
                    for target in part.targets:
                        made = isinstance(part.value, cst.Call) and dotted(part.value.func) in _DEVICE_CLASSES
                        name = dotted(target.target)
                        self._set[file][name] = self._set[file].get(name, True) and made
        return self._set[file].get(text, False)

    def _annotation(self, name: str) -> cst.BaseExpression | None:
        """The annotation of a parameter of the running function."""
        function = self.run.frame.function
        if function is None:
            return None
        for param in (*function.parameters, *function.node.params.kwonly_params):
            if param.name.value == name and param.annotation is not None:
                return param.annotation.annotation
        return None

    def _asked_rightly_too(self, device: cst.BaseExpression) -> bool:
        """Whether the same statement also asks the type, or compares with a device: it takes both forms on purpose."""
        statement = self.run.frame.statement
        text = dotted(device)
        if not text or statement is None:
            return False
        asked = statement.test if isinstance(statement, cst.If | cst.While) else statement
        if isinstance(asked, cst.BaseCompoundStatement):
            return False
        for part in descendants(asked):
            match part:
                case cst.Attribute(attr=cst.Name(value="type"), value=inner) if dotted(inner) == text:
                    return True
                case cst.Call(func=cst.Name(value="str" | "isinstance"), args=[cst.Arg(value=inner), *_]) if (
                    dotted(inner) == text
                ):
                    return True
                case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=cst.Call() as call)]) if (
                    dotted(left) == text and dotted(call.func) in _DEVICE_CLASSES
                ):
                    return True
        return False

    def _only_moves(self) -> bool:
        """`if x.device != device: x = x.to(device)`: always true, and harmless."""
        statement = self.run.frame.statement
        if not isinstance(statement, cst.If) or not isinstance(statement.test, cst.Comparison):
            return False
        body = statement.body.body
        return all(
            isinstance(line, cst.SimpleStatementLine)
            and any(isinstance(part, cst.Attribute) and part.attr.value == "to" for part in descendants(line))
            for line in body
        )


def _asks_type(node: cst.BaseExpression, value: Value) -> bool:
    """`x.device.type`."""
    return (
        isinstance(node, cst.Attribute)
        and node.attr.value == "type"
        and dotted(node.value).rpartition(".")[2] in {"device", "dev"}
        and isinstance(value, DeviceValue)
    )


def _names_class(annotation: cst.BaseExpression | None, classes: frozenset[str]) -> bool:
    """Whether an annotation means one of the classes, or None, and nothing else."""
    match annotation:
        case None:
            return False
        case cst.SimpleString():
            return annotation.raw_value in classes
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=inner))]):
            return dotted(value).rpartition(".")[2] == "Optional" and _names_class(inner, classes)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=cst.Name(value="None")):
            return _names_class(left, classes)
        case _:
            return dotted(annotation) in classes

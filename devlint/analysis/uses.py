"""What a file does with a name tells what it is: `net.parameters()`, `x.unsqueeze(0)`, `criterion(...)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.syntax import dotted

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

_LOSS_NAME = re.compile(r"(criterion|loss|(^|[._])crit(?!ic))", re.IGNORECASE)
_MODULE_USES = frozenset(
    "parameters train eval state_dict load_state_dict named_parameters zero_grad module modules".split()
)
_CHAIN = re.compile(r"\b\w+(?:\.\w+)+")
_SIZED = (
    r"\b(?:range|arange|zeros|ones|empty|rand|randn|randint|eye|linspace|Linear|Embedding|Conv[123]d|LSTM|GRU|RNN"
    r"|LayerNorm|BatchNorm[123]d)\("
)
_TENSOR_USE = (
    r"(\.(backward|size|view|unsqueeze|squeeze|permute|transpose|shape|dim|numel|item|detach|argmax|softmax|contiguous|reshape"
    r"|flatten|requires_grad|sum|mean|t|numpy|gather|scatter_|expand|repeat|clone)\b|\s*[-+*/@]\s|\[:)"
)


def used_as_modules(text: str) -> frozenset[str]:
    """`net` and `self.net` for `self.net.parameters()`, in the text of a file."""
    found: set[str] = set()
    for chain in set(_CHAIN.findall(text)):
        parts = chain.split(".")
        for end in [end for end, part in enumerate(parts) if part in _MODULE_USES]:
            found.update(".".join(parts[start:end]) for start in range(end))
    return frozenset(found)


class Uses:
    """The texts of a run's files, asked for how they use a name."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run

    def is_loss_name(self, name: str) -> bool:
        return _LOSS_NAME.search(name.rpartition(".")[2]) is not None

    def as_module(self, name: str) -> bool:
        """Whether the file uses a name as only modules can be used."""
        return name in self.run.frame.file.used_as_modules

    def as_tensor(self, name: str) -> bool:
        """Whether the running function uses a name as only tensors can be used."""
        return self.used_so(
            name.rpartition(".")[2] if name.count(".") and not name.startswith("self.") else name, _TENSOR_USE
        )

    def as_number(self, name: str) -> bool:
        """Whether the running function uses a name as only numbers can be used: as a size."""
        return self.text_has(rf"{_SIZED}(?:[^()]*[,\s])?{re.escape(name)}\b(?![.\[(])")

    def used_so(self, name: str, how: str) -> bool:
        return self.text_has(rf"(?<![\w.]){re.escape(name)}{how}")

    def text_has(self, pattern: str) -> bool:
        frame = self.run.frame
        text = frame.file.source.text if frame.function is None else frame.file.text(frame.function.node)
        return re.search(pattern, text) is not None

    def made_into_model(self, node: cst.CSTNode) -> bool:
        """Whether the result of this call is bound to a name that is used as a module."""
        statement = self.run.frame.statement
        if not isinstance(statement, cst.SimpleStatementLine):
            return False
        for small in statement.body:
            if isinstance(small, cst.Assign) and _produces(small.value, node):
                return any(self.as_module(dotted(target.target)) for target in small.targets if dotted(target.target))
        return False


def _produces(value: cst.BaseExpression, node: cst.CSTNode) -> bool:
    """Whether `value` is the call `node`, maybe followed by methods."""
    while isinstance(value, cst.Call):
        if value is node:
            return True
        if not isinstance(value.func, cst.Attribute):
            return False
        value = value.func.value
    return False

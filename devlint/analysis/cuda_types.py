"""Uses of CUDA's own tensor types: `torch.cuda.FloatTensor` and the strings that name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.devices import cuda_tensor_type
from devlint.analysis.facts import CudaTensorType, Receiver, Site, TypeUse
from devlint.analysis.values import Batch, External, Module, Tensor, Value

if TYPE_CHECKING:
    from devlint.analysis.calls import Argument, Arguments
    from devlint.analysis.interpreter import Interpreter

Named = Mapping[External, Site]


class CudaTypes:
    """The uses of one run, by node."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, CudaTensorType] = {}

    def called(self, node: cst.Call, callee: External, arguments: Arguments, named: Named) -> None:
        """`torch.cuda.FloatTensor(...)`, `torch.set_default_tensor_type(...)`."""
        if callee.name.endswith("set_default_tensor_type") and callee.name.startswith("torch."):
            if arguments:
                self._used(node, TypeUse.DEFAULT, arguments[0].value, arguments[0].node, named)
        elif cuda_tensor_type(callee):
            self._used(node, TypeUse.CONSTRUCTED, callee, node.func, named, tuple(a.value for a in arguments))

    def cast(self, node: cst.Call, receiver: Value, argument: Argument, named: Named) -> None:
        """`x.type(torch.cuda.FloatTensor)`."""
        self._used(node, TypeUse.CAST, argument.value, argument.node, named, receiver=receiver)

    def _used(
        self,
        node: cst.Call,
        use: TypeUse,
        value: Value,
        writes: cst.BaseExpression,
        named: Named,
        arguments: tuple[Value, ...] = (),
        receiver: Value | None = None,
    ) -> None:
        if not (name := cuda_tensor_type(value)):
            return
        notes = self.run.meetings
        origin = named.get(value) if isinstance(value, External) else None
        if origin is not None and origin.spot.node is not writes:
            if not origin.guarded and not self.run.guarded and origin.spot.file is self.run.frame.file:
                self.found[origin.spot.node] = CudaTensorType(origin, name, TypeUse.NAMED, used=self.run.spot(node))
            return
        match receiver:
            case Module():
                kind = Receiver.MODULE
            case Tensor() | Batch():
                kind = Receiver.TENSOR
            case _:
                kind = Receiver.UNKNOWN
        notes.device_used = True
        before = self.found.get(node)
        if before is not None and before.receiver is not Receiver.UNKNOWN:
            kind = before.receiver
        if before is not None and self.run.guarded:
            return
        site = notes.site(writes if use is not TypeUse.CONSTRUCTED else node.func)
        self.found[node] = CudaTensorType(site, name, use, node, kind, arguments)

"""The lower of the two modes: sees every aten op, forward and backward, checks its devices and labels its results."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.verify import messages, random_streams
from devlint.verify.ledger import HOST, UNDECIDED, size_in_bytes
from devlint.verify.machine import Machine, accelerator_error, device_error, tensors_in
from devlint.verify.operators import Operator, known_operators, operator
from devlint.verify.placement import Operand, Refused, side_of_result
from devlint.verify.places import Place, user_place
from devlint.verify.simulation_error import SimulationError

_address = torch._C._storage_address
_untyped_storage = torch._C.TensorBase.untyped_storage
_is_cpu = torch._C.TensorBase.is_cpu.__get__  # type: ignore[attr-defined]
_known = known_operators
_Tensor = torch.Tensor


class Placement(TorchDispatchMode):
    """Gives every result a side, and raises torch's own error where tensors of two devices meet."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine
        self.rows = machine.ledger.rows

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False keeps torch from wrapping the mode for its compiler, which costs an import of seconds."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch._C._len_torch_function_stack() == 0:
            return self._run(func, args, kwargs or {})
        with torch._C.DisableTorchFunction():  # in backward the upper mode is active, and this is not for it
            return self._run(func, args, kwargs or {})

    def _run(self, func: Any, args: Any, kwargs: Any) -> Any:
        facts = _known.get(func) or operator(func)
        if facts.bookkeeping:
            return func(*args, **kwargs)
        tensors: list[_Tensor] = []
        for value in args if not kwargs else (*args, *kwargs.values()):
            if isinstance(value, _Tensor):
                tensors.append(value)
            elif type(value) is list or type(value) is tuple:
                tensors.extend(item for item in value if isinstance(item, _Tensor))
        side = self._side(func, args, kwargs, tensors) if tensors else self._side_of_creation(facts, args, kwargs)
        try:
            if facts.random:
                out = random_streams.draw(self.machine, func, args, kwargs, facts, side)
            else:
                out = func(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            raise self._as_the_device_raises(func, facts, side, error) from error
        if facts.copies:
            side = self._after_copy(facts, tensors, side)
        place = user_place(3)
        if isinstance(out, _Tensor):
            self._label(out, side, place)
        elif type(out) is list or type(out) is tuple:
            for item in out:
                if isinstance(item, _Tensor):
                    self._label(item, side, place)
        if facts.counted and side is not UNDECIDED:
            flops = 0 if facts.flops is None else facts.count_flops(tensors, args, kwargs, out)
            self.machine.ledger.record.operation(place, facts.name, flops, side is not HOST)
        return out

    def _label(self, out: _Tensor, side: torch.device, place: Place | None) -> None:
        try:
            address = _address(out)
        except (RuntimeError, NotImplementedError):
            self.machine.ledger.put(out, side)
            return
        if address not in self.rows and _is_cpu(out):
            self.machine.ledger.open_storage(_untyped_storage(out), address, side, place)

    def _side(self, func: Any, args: Any, kwargs: Any, tensors: list[_Tensor]) -> torch.device:
        """The one device of all operands; where there are several, what the table says of their meeting."""
        rows = self.rows
        side = None
        for tensor in tensors:
            try:
                row = rows.get(_address(tensor))
            except (RuntimeError, NotImplementedError):
                row = self.machine.ledger.row(tensor)
            device = row.device if row is not None else HOST
            if side is None:
                side = device
            elif side is not device:
                return self._meeting(func, args, kwargs)
        assert side is not None
        return side

    def _meeting(self, func: Any, args: Any, kwargs: Any) -> torch.device:
        with torch._C.DisableTorchFunction():
            operands = self._operands(func, args, kwargs)
            try:
                side = side_of_result(func, operands)
            except Refused as refusal:
                raise self._as_torch_raises(refusal) from None
        if side is not UNDECIDED:
            for operand in operands:
                if operand.device is UNDECIDED:
                    self.machine.ledger.put(operand.tensor, side)
        return side

    def _operands(self, func: Any, args: Any, kwargs: Any) -> list[Operand]:
        found = []
        for position, argument in enumerate(func._schema.arguments):
            value = args[position] if position < len(args) else kwargs.get(argument.name)
            written = argument.alias_info is not None and argument.alias_info.is_write
            for item in value if type(value) in (list, tuple) else (value,):
                if isinstance(item, _Tensor):
                    row = self.machine.ledger.row(item)
                    device = row.device if row is not None else self._side_of_unknown(item)
                    found.append(Operand(argument.name, item, device, written))
        return found

    def _side_of_unknown(self, tensor: _Tensor) -> torch.device:
        """A tensor without a row came in from the host, or torch made it inside the op that runs."""
        frames = self.machine.thread.frames
        if frames and not isinstance(frames[-1], torch.device):
            address = _address(tensor)
            if all(_address(t) != address for t in tensors_in(*frames[-1]) if t.layout is torch.strided):
                return self.machine.side_of_helpers()
        return self.machine.ledger.device_of(tensor)

    def _as_torch_raises(self, refusal: Refused) -> BaseException:
        error = device_error(RuntimeError(str(refusal)))
        for operand in refusal.operands:
            error.add_note(self.machine.ledger.story(operand.name, operand.tensor))
        self.machine.thread.refusal = error
        return error

    def _side_of_creation(self, facts: Operator, args: Any, kwargs: Any) -> torch.device:
        device = kwargs.get("device")
        if device is not None and device.type != "cpu":
            return HOST
        side = self.machine.side_of_helpers()
        if facts.allocates and side.type == "cuda":
            size = prod(args[0]) * (kwargs.get("dtype") or torch.get_default_dtype()).itemsize
            if size > 2**30:
                self.machine.refuse_memory(size, side)
        return side

    def _as_the_device_raises(
        self, func: Any, facts: Operator, side: torch.device, error: BaseException
    ) -> BaseException:
        """The CPU kernel's error, or what a CUDA machine says in its place."""
        if side.type == "cuda":
            if facts.asserts and _is_bounds_error(error):
                return accelerator_error(messages.DEVICE_ASSERT)
            if isinstance(error, NotImplementedError) and func.namespace not in ("aten", "prims"):
                return SimulationError(f"the CUDA kernel of {func}")
        return error

    def _after_copy(self, facts: Operator, tensors: list[_Tensor], side: torch.device) -> torch.device:
        """The side of a copy: where it was sent; transfers between two devices are recorded."""
        if facts.name == "copy_":
            if len(tensors) > 1:
                self._record_transfer(tensors[1], tensors[0])
            return side
        return self.machine.thread.destination or side

    def _record_transfer(self, source: _Tensor, target: _Tensor) -> None:
        ledger = self.machine.ledger
        one, other = ledger.device_of(source), ledger.device_of(target)
        if one is not other:
            ledger.record.transfer(user_place(), one, other, size_in_bytes(source))


def _is_bounds_error(error: BaseException) -> bool:
    text = str(error)
    return "out of bounds" in text or "out of range in self" in text or "should be between 0 and 1" in text

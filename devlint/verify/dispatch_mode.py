"""Every operator, forward and backward: may its operands meet, where do its results go."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.verify import messages
from devlint.verify.kernel_errors import is_kernel_assert
from devlint.verify.ledger import bytes_of
from devlint.verify.machine import CPU, MEMORY_BYTES, UNDECIDED
from devlint.verify.operands import MixedDevices
from devlint.verify.operators import OPERATORS, Operator, learned
from devlint.verify.placement_rules import placement
from devlint.verify.places import Place, user_place
from devlint.verify.simulation import ACTIVE, Simulation, tensors_in
from devlint.verify.simulation_error import refuse

aten = torch.ops.aten
_PLAIN = torch._C._disabled_torch_dispatch_impl
_FAKE = torch._C._TorchDispatchModeKey.FAKE
_get_dispatch_mode = torch._C._get_dispatch_mode


class Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The lower of the two modes: operators with real arguments on the host, labels for a simulated
    machine.
    """

    supports_higher_order_operators = True

    def __init__(self, simulation: Simulation) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.simulation = simulation

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Dynamo skips frames under any such mode; wrapping every call to tell it so would double the
        cost of small ones.
        """
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if types and any(kind.__torch_dispatch__ is not _PLAIN for kind in types):
            return NotImplemented
        kwargs = kwargs or {}
        if ACTIVE[-1] is not self.simulation or _get_dispatch_mode(_FAKE) is not None:
            return func(*args, **kwargs)
        known = OPERATORS.get(id(func)) or learned(func)
        if known.composite:
            with self:
                return func.decompose(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            operands = tensors_in(args, kwargs)
            if "device" in kwargs:
                return self.with_device(known, args, kwargs, operands)
            if not operands:
                return func(*args, **kwargs) if known.foreign else self.factory(known, args, kwargs, None)
            return self.operation(known, args, kwargs, operands)

    def with_device(self, known: Operator, args: Any, kwargs: Any, operands: list[Any]) -> Any:
        """An operator that is told a device: a factory, or a copy to another device."""
        sim, asked, func = self.simulation, kwargs["device"], known.func
        if (asked is None or asked.type == "cpu") and any(tensor.is_meta for tensor in operands):
            return func(*args, **kwargs)
        target = None if asked is None else sim.machine.canonical(asked)
        if target is not None and target.type not in ("cpu", "cuda"):
            return func(*args, **kwargs)
        plain = {**kwargs, "device": None if asked is None else CPU}
        if kwargs.get("pin_memory"):
            return self.pinned(known, args, {**plain, "pin_memory": False})
        if func is aten._to_copy.default:
            # a host target that nobody asked for: the options of a tensor that C++ takes for a host tensor
            return self.copy_to(
                func, args, plain, sim.side() if target is CPU and not self.asked_for_host() else target
            )
        if operands and target is None:
            return self.operation(known, args, plain, operands)
        if operands and target is CPU and not self.asked_for_host():
            # C++ passes on the options of an operand, which are those of the host
            return self.operation(known, args, plain, operands)
        if target is CPU and not self.asked_for_host():
            target = None
        return self.factory(known, args, plain, target)

    def pinned(self, known: Operator, args: Any, kwargs: Any) -> Any:
        """A host tensor in page-locked memory, here only marked so."""
        out = self.factory(known, args, kwargs, CPU)
        if row := self.simulation.ledger.row(out):
            row.pinned = True
        return out

    def asked_for_host(self) -> bool:
        """Whether a function of the program, not torch's C++, asked for a host tensor."""
        calls = self.simulation.nesting.calls
        return bool(calls) and calls[-1] is CPU

    def factory(self, known: Operator, args: Any, kwargs: Any, target: torch.device | None) -> Any:
        """No operands: the result is where it was asked for, or on the side of the call it helps."""
        sim = self.simulation
        device = target or sim.side() or self.unasked()
        if device.type == "cuda":
            self.reserve(args, kwargs, device)
        out = sim.streams.drawn(known, args, kwargs, device) if known.random else known.func(*args, **kwargs)
        self.label(out, device, user_place(3))
        return out

    def unasked(self) -> torch.device:
        """A factory outside any call: a helper of the backward pass, or an old constructor such as
        `torch.Tensor(3)`.
        """
        if torch._C._current_autograd_node() is not None:
            return UNDECIDED
        default = self.simulation.default_tensor_device
        return CPU if default is CPU else self.simulation.machine.canonical(default) or CPU

    def copy_to(self, func: Any, args: Any, kwargs: Any, target: torch.device | None) -> Any:
        """A copy, on the target or beside its source."""
        ledger = self.simulation.ledger
        source = ledger.device(args[0])
        out = func(*args, **kwargs)
        if target is None or target == source:
            self.label(out, source, user_place(3))
            return out
        place = user_place(3)
        row = ledger.row(args[0])
        ledger.put(out, target, row.created if row else place, moved=place)
        ledger.transfer(place, source, target, bytes_of(out), "move")
        return out

    def operation(self, known: Operator, args: Any, kwargs: Any, operands: list[Any]) -> Any:
        """Operands decide the device."""
        sim = self.simulation
        place = user_place(3)
        device = self.meet(known, args, kwargs, operands, place)
        if device is None:
            return known.func(*args, **kwargs)
        out = (
            self.run(known, args, kwargs, device)
            if device.type == "cuda" or known.custom
            else known.call(*args, **kwargs)
        )
        if known.host_result is not None:
            self.label(out[known.host_result], CPU, place)
        self.label(out, device, place)
        if known.counted:
            sim.tally.count(known.formula, args, kwargs, out, device.type, place)
        elif known.copies:
            self.copied(args, place)
        if known.reads and device is not CPU:
            sim.ledger.transfer(place, device, CPU, operands[0].element_size(), "read")
        return out

    def meet(self, known: Operator, args: Any, kwargs: Any, operands: list[Any], place: Place) -> torch.device | None:
        """The device of the operation; None leaves it to torch (meta tensors). Undecided operands join
        the others.
        """
        rows = self.simulation.ledger.rows
        device: torch.device | None = None
        mixed, undecided = False, None
        for tensor in operands:
            try:
                row = rows.get(tensor.untyped_storage()._cdata)
            except (RuntimeError, NotImplementedError):
                row = self.simulation.ledger.row(tensor)
            if row is None:
                if tensor.is_meta:
                    return None
                here = CPU
            else:
                here = row.device
                if here is UNDECIDED:
                    undecided = [*(undecided or ()), tensor]
                    continue
            if device is None:
                device = here
            elif here is not device:
                mixed = True
        if device is None:
            return UNDECIDED
        self.simulation.nesting.latest = device
        if mixed:
            device = self.checked(known.func, args, kwargs, operands, place)
        if undecided:
            for tensor in undecided:
                self.simulation.ledger.put(tensor, device, place)
        return device

    def checked(self, func: Any, args: Any, kwargs: Any, operands: list[Any], place: Place) -> torch.device:
        """The device of operands that are not all on one; a refusal carries the operands with it."""
        try:
            return placement(self.simulation.ledger, func, args, kwargs)
        except RuntimeError as error:
            error.__dict__["mixed_devices"] = MixedDevices.of(self.simulation.ledger, func, operands, place)
            raise

    def run(self, known: Operator, args: Any, kwargs: Any, device: torch.device) -> Any:
        """The real computation, with the device's random numbers and its way to fail."""
        sim = self.simulation
        if known.custom:
            return self.custom(known.func, args, kwargs, device)
        sim.machine.touch()
        try:
            return sim.streams.drawn(known, args, kwargs, device) if known.random else known.call(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            if "DefaultCPUAllocator: can't allocate memory" in str(error):
                raise torch.OutOfMemoryError("CUDA out of memory. " + str(error)) from None
            if known.foreign or not is_kernel_assert(known.func, error):
                raise
            sim.machine.assert_triggered = True
            raise torch.AcceleratorError(messages.DEVICE_ASSERT) from None

    def custom(self, func: Any, args: Any, kwargs: Any, device: torch.device) -> Any:
        """An operator of somebody's library: its host kernel, which sees host tensors; SimulationError
        where it has none.
        """
        nesting = self.simulation.nesting
        before, nesting.inside_kernel = nesting.inside_kernel, True
        try:
            return func(*args, **kwargs)
        except NotImplementedError as error:
            if device.type == "cuda" and "Could not run" in str(error):
                refuse(f"the operator {func.name()}, which has a kernel for CUDA only,")()
            raise
        finally:
            nesting.inside_kernel = before

    def copied(self, args: Any, place: Place) -> None:
        """`copy_` between devices is a transfer."""
        ledger = self.simulation.ledger
        target, source = ledger.device(args[0]), ledger.device(args[1])
        if target != source:
            ledger.transfer(place, source, target, bytes_of(args[1]), "copy_")

    def label(self, out: Any, device: torch.device, place: Place) -> None:
        """Enter the storages of the results that are new."""
        ledger = self.simulation.ledger
        if isinstance(out, torch.Tensor):
            results: Any = (out,)
        elif isinstance(out, (list, tuple)):
            results = tensors_in(out)
        else:
            return
        rows = ledger.rows
        for tensor in results:
            try:
                storage = tensor.untyped_storage()
            except (RuntimeError, NotImplementedError):
                ledger.put(tensor, device, place)
                continue
            row = rows.get(storage._cdata)
            if row is None:
                row = ledger.enter(storage, device, place)
                if device is UNDECIDED:
                    row.hint = self.simulation.nesting.latest
            elif row.nbytes != storage.nbytes():
                ledger.put_storage(storage, row.device, row.created)

    def reserve(self, args: Any, kwargs: Any, device: torch.device) -> None:
        """Raises torch.OutOfMemoryError where the device's memory would not hold a new tensor."""
        if not args or not isinstance(args[0], (list, tuple)) or not all(isinstance(n, int) for n in args[0]):
            return
        wanted = (kwargs.get("dtype") or torch.get_default_dtype()).itemsize
        for length in args[0]:
            wanted *= length
        used = self.simulation.ledger.used(device)
        if used + wanted > MEMORY_BYTES:
            texts = {"wanted": wanted, "total": MEMORY_BYTES, "free": MEMORY_BYTES - used, "used": used}
            raise torch.OutOfMemoryError(
                messages.OUT_OF_MEMORY.format(index=device.index, **{k: messages.size(v) for k, v in texts.items()})
            )

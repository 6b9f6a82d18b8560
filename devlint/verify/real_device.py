"""The same tally on real hardware: operations by the device their tensors are on."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.verify.ledger import Ledger, bytes_of
from devlint.verify.places import user_place
from devlint.verify.simulation import tensors_in
from devlint.verify.tally import UNCOUNTED, Tally, formulas

aten = torch.ops.aten


class RealOperators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts, and leaves everything else to torch."""

    def __init__(self, tally: Tally, ledger: Ledger) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.tally, self.ledger = tally, ledger

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        operands = tensors_in(args, kwargs)
        if not operands:
            return out
        side = next((tensor.device.type for tensor in operands if tensor.device.type != "cpu"), "cpu")
        packet = func._overloadpacket
        if packet in (aten._to_copy, aten.copy_):
            self.moved(packet, args, out)
        elif packet not in UNCOUNTED and not func.is_view:
            self.tally.count(formulas().get(packet), args, kwargs, out, side, user_place(2))
        return out

    def moved(self, packet: Any, args: Any, out: Any) -> None:
        """Count a copy between devices."""
        source, target = args[0] if packet is aten._to_copy else args[1], out
        if source.device != target.device:
            self.ledger.transfer(user_place(3), source.device, target.device, bytes_of(source), "move")


def best_accelerator() -> str | None:
    """The type of the accelerator torch sees, None where there is none."""
    if not torch.accelerator.is_available():
        return None
    found = torch.accelerator.current_accelerator()
    return found.type if found is not None else None

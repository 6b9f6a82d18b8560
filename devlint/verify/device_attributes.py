"""`Tensor.device` and its kin, answered from the ledger everywhere: inside torch's own code, in hooks,
in any thread.
"""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation

T = torch.Tensor


def install_attributes(sim: Simulation, patches: Patches) -> None:
    """Lay properties over the C++ ones."""
    ledger, nesting = sim.ledger, sim.nesting
    real = torch._C.TensorBase.device.__get__

    def device(tensor: Any) -> torch.device:
        if nesting.inside_kernel:
            here: torch.device = real(tensor)
            return here
        return ledger.device(tensor)

    patches.set(T, "device", property(device))
    patches.set(T, "is_cuda", property(lambda tensor: device(tensor).type == "cuda"))
    patches.set(T, "is_cpu", property(lambda tensor: device(tensor).type == "cpu"))
    _module_moves(patches)


def _module_moves(patches: Patches) -> None:
    """`Module.to(0)`, `Module.to(tensor)`: C++ reads the arguments, and knows no simulated ordinals."""
    nn: Any = torch._C._nn
    real = nn._parse_to

    def parse(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], T):
            args = (args[0].device, args[0].dtype, *args[1:])
        elif args and isinstance(args[0], int) and not isinstance(args[0], bool):
            args = (torch.device("cuda", args[0]), *args[1:])
        if isinstance(kwargs.get("device"), int):
            kwargs["device"] = torch.device("cuda", kwargs["device"])
        return real(*args, **kwargs)

    patches.set(nn, "_parse_to", parse)

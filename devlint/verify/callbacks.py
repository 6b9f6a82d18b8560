"""User code that torch calls from inside an op sees the simulation too.

While an op runs, the upper mode is off; hooks on saved tensors and the methods of a user's own modes run then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack

from devlint.verify.function_mode import Functions
from devlint.verify.machine import Machine
from devlint.verify.patches import Patches


def install(machine: Machine, patches: Patches) -> None:
    def inside(call: Callable[..., Any]) -> Callable[..., Any]:
        def entered(*args: Any, **kwargs: Any) -> Any:
            if any(isinstance(mode, Functions) for mode in _get_current_function_mode_stack()):
                return call(*args, **kwargs)
            with Functions(machine):
                return call(*args, **kwargs)

        return entered

    hooks = torch.autograd.graph.saved_tensors_hooks
    real = hooks.__init__

    def saved_tensors_hooks(self: Any, pack: Any, unpack: Any) -> None:
        real(self, inside(pack), inside(unpack))

    patches.set(hooks, "__init__", saved_tensors_hooks)

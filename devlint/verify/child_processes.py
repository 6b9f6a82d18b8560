"""Processes that a program starts: spawned ones get the simulated machine too; they share no memory."""

from __future__ import annotations

from contextlib import ExitStack
from multiprocessing import spawn
from typing import Any

import torch

from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation
from devlint.verify.simulation_error import refuse

_open = ExitStack()


def install_children(sim: Simulation, patches: Patches) -> None:
    """Start the simulation first thing in a spawned child, before it imports the program.

    A forked child has inherited it, and refuses CUDA as CUDA itself does (`Machine.touch`).
    """
    real: Any = spawn.get_command_line
    devices = len(sim.machine.devices)

    def get_command_line(**options: Any) -> list[str]:
        command: list[str] = real(**options)
        at = command.index("-c") + 1 if "-c" in command else None
        if at is not None:
            command[at] = f"from devlint.verify.child_processes import begin; begin({devices}); {command[at]}"
        return command

    patches.set(spawn, "get_command_line", get_command_line)
    patches.set(torch.UntypedStorage, "_share_cuda_", refuse("sharing device memory between processes"))


def begin(devices: int) -> None:
    """Simulate until the process ends."""
    from devlint.verify.accelerator import simulated_accelerator

    _open.enter_context(simulated_accelerator(devices))

"""A CUDA machine pretended on the host: real arithmetic, a ledger of which storage is on which device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from devlint.verify.child_processes import install_children
from devlint.verify.cuda_queries import install_queries
from devlint.verify.data_parallel import install_parallel
from devlint.verify.device_attributes import install_attributes
from devlint.verify.dispatch_mode import Operators
from devlint.verify.function_mode import Functions
from devlint.verify.gradients import install_gradients
from devlint.verify.ledger import Ledger
from devlint.verify.legacy_types import install_types
from devlint.verify.machine import Machine
from devlint.verify.patches import Patches
from devlint.verify.python_bodies import install_bodies
from devlint.verify.random_streams import RandomStreams, generator_class
from devlint.verify.serialization import install_serialization
from devlint.verify.simulation import ACTIVE, Simulation
from devlint.verify.streams_and_events import install_streams


@contextmanager
def simulated_accelerator(devices: int = 1, *, shared_random_stream: bool = False) -> Iterator[Ledger]:
    """Inside, torch behaves as on a machine with that many CUDA devices; afterwards everything is as it was.

    devices: how many devices there are.
    shared_random_stream: let the devices draw from the host's random numbers, so that a seeded program
    prints what it
        prints on the CPU. A real device has a stream of its own, which is the default here too.

    Yields the ledger: where each storage is, what was transferred, bytes in use. Programs fail with torch's
    own
    errors where a CUDA machine would; what cannot be simulated raises SimulationError.
    """
    with running_simulation(devices, shared_random_stream) as simulation:
        yield simulation.ledger


@contextmanager
def running_simulation(devices: int = 1, shared_random_stream: bool = False) -> Iterator[Simulation]:
    """As `simulated_accelerator`, but gives the whole state, with the tally of the work done."""
    machine = Machine(devices)
    simulation = Simulation(machine, Ledger(), RandomStreams(machine, shared_random_stream))
    operators, functions = Operators(simulation), Functions(simulation)
    patches = Patches()

    @contextmanager
    def modes() -> Iterator[None]:
        with ExitStack() as stack:
            if operators not in _dispatch_modes():
                stack.enter_context(operators)
            if functions not in _function_modes():
                stack.enter_context(functions)
            yield

    try:
        install_attributes(simulation, patches)
        install_queries(simulation, patches)
        install_streams(simulation, patches)
        install_types(simulation, patches)
        install_serialization(simulation, patches)
        install_gradients(simulation, patches)
        install_parallel(simulation, patches)
        install_children(simulation, patches)
        install_bodies(simulation, patches, modes)
        patches.set(torch, "Generator", generator_class(machine))
        ACTIVE.append(simulation)
        patches.later(lambda: ACTIVE.remove(simulation))
        with operators, functions:
            yield simulation
    finally:
        patches.undo()


def _dispatch_modes() -> list[Any]:
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    return list(_get_current_dispatch_mode_stack())


def _function_modes() -> list[Any]:
    from torch.overrides import _get_current_function_mode_stack

    return list(_get_current_function_mode_stack())  # type: ignore[no-untyped-call]

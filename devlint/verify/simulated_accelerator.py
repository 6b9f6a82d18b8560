"""`simulated_accelerator()`: a block of code in which a CUDA device exists."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from devlint.verify import (
    autograd_checks,
    boundaries,
    callbacks,
    compilers,
    cuda_queries,
    legacy_types,
    parallel,
    python_overrides,
    storages,
    streams,
    threads_and_forks,
)
from devlint.verify.dispatch_mode import Placement
from devlint.verify.function_mode import Functions
from devlint.verify.ledger import Ledger
from devlint.verify.machine import Hardware, Machine
from devlint.verify.module_use import watch_modules
from devlint.verify.patches import Patches
from devlint.verify.random_streams import GeneratorOnDevice


@contextmanager
def simulated_accelerator(
    devices: int = 1, *, hardware: Hardware | None = None, own_random_stream: bool = True
) -> Iterator[Ledger]:
    """Run the block as though `devices` CUDA devices existed; gives the ledger of what lives and runs where.

    Arithmetic is the CPU's. Everything that is replaced in torch is put back when the block ends, however it ends.
    With `own_random_stream=False` the devices draw from the host's generator, so that a program prints the numbers it
    prints on the CPU.
    """
    machine = Machine(devices, hardware, own_random_stream=own_random_stream)
    with installed(machine):
        yield machine.ledger


@contextmanager
def installed(machine: Machine) -> Iterator[None]:
    patches = Patches()
    host_state = torch.get_rng_state()
    try:
        patches.set(GeneratorOnDevice, "machine", machine)
        _seed(machine)
        patches.set(torch, "Generator", GeneratorOnDevice)
        streams.install(machine, patches)
        cuda_queries.install(machine, patches)
        storages.install(machine, patches)
        legacy_types.install(machine, patches)
        autograd_checks.install(machine, patches)
        python_overrides.install(patches)
        watch_modules(machine.ledger.record, lambda p: machine.ledger.device_of(p).type, patches)
        boundaries.install(machine, patches)
        callbacks.install(machine, patches)
        compilers.install(machine, patches)
        parallel.install(machine, patches)
        threads_and_forks.install(lambda: modes(machine), patches)
        torch.set_rng_state(host_state)
        with modes(machine):
            yield
    finally:
        patches.restore()


@contextmanager
def modes(machine: Machine) -> Iterator[Any]:
    """The two modes, in the thread that runs the block."""
    with ExitStack() as stack:
        stack.enter_context(Placement(machine))
        stack.enter_context(Functions(machine))
        yield


def _seed(machine: Machine) -> None:
    """A CUDA machine seeds each device with the host's seed when nothing else is said."""
    for device in machine.cuda:
        stream = GeneratorOnDevice.on(device, machine)
        stream.manual_seed(torch.initial_seed())
        machine.streams.append(stream)

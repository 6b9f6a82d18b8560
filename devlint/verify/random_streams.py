"""CUDA draws its random numbers from streams of its own: one generator per device, seeded with the host's."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.ledger import HOST, UNDECIDED
from devlint.verify.machine import Machine, fail
from devlint.verify.operators import Operator

_RealGenerator = torch._C.Generator


class _GeneratorType(type(_RealGenerator)):  # type: ignore[misc]
    """Torch's own generators are instances of the simulated class too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _RealGenerator)


class GeneratorOnDevice(_RealGenerator, metaclass=_GeneratorType):
    """`torch.Generator`, which may be asked for on a simulated device. Numbers come from the host's algorithm."""

    machine: Machine

    def __new__(cls, device: Any = "cpu") -> Any:
        wanted = torch.device(device) if not isinstance(device, torch.device) else device
        if wanted.type != "cuda":
            return _RealGenerator(device)
        return cls.on(cls.machine.device(wanted) or HOST, cls.machine)

    @classmethod
    def on(cls, device: torch.device, machine: Machine) -> Any:
        made = super().__new__(cls)
        made._simulated_device = device
        machine.generators[made._cdata] = made
        return made

    def __init__(self, device: Any = "cpu") -> None:
        pass

    @property
    def device(self) -> torch.device:
        return self._simulated_device  # type: ignore[attr-defined, no-any-return]

    def __reduce__(self) -> Any:
        return _restore_generator, (str(self.device), self.initial_seed(), self.get_state())


def _restore_generator(device: str, seed: int, state: torch.Tensor) -> Any:
    made = torch.Generator(device=device)
    made.manual_seed(seed)
    made.set_state(state)
    return made


def draw(machine: Machine, func: Any, args: Any, kwargs: Any, facts: Operator, side: torch.device) -> Any:
    """Run a random op with the stream of the device its result belongs to."""
    generator = kwargs.get("generator") or next((a for a in args if isinstance(a, _RealGenerator)), None)
    if generator is not None:
        _check(machine, generator, facts, side)
        return func(*args, **kwargs)
    if side is HOST or side is UNDECIDED or not machine.own_random_stream:
        return func(*args, **kwargs)
    stream = machine.streams[side.index]
    if facts.has_generator:
        return func(*args, **{**kwargs, "generator": stream})
    return _with_host_generator_replaced(stream, func, args, kwargs)


def _check(machine: Machine, generator: Any, facts: Operator, side: torch.device) -> None:
    simulated = machine.generators.get(generator._cdata)
    found = simulated.device if simulated is not None else HOST
    if side is UNDECIDED or found.type == side.type and facts.name != "randperm" or found is side:
        return
    if facts.name == "randperm":
        fail(messages.GENERATOR_RANDPERM.format(wanted=side, found=found))
    fail(messages.GENERATOR.format(wanted=side.type, found=found.type))


def _with_host_generator_replaced(stream: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """For ops that take no generator: the host's generator plays the device's stream, then gets its state back."""
    with torch._C.DisableTorchFunction():
        host = torch.default_generator
        kept = host.get_state()
        host.set_state(stream.get_state())
        try:
            return func(*args, **kwargs)
        finally:
            stream.set_state(host.get_state())
            host.set_state(kept)

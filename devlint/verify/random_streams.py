"""CUDA's own random numbers: one stream per device, apart from the host's, seeded together with it."""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.machine import CPU, Machine
from devlint.verify.operators import Operator

_GENERATOR: Any = torch._C.Generator
DEFAULT_SEED = 67280421310721
"""c10::detail::getNonDeterministicRandom is used unless seeded; torch's documented default for a fresh
generator.
"""


class RandomStreams:
    """The default generators of the simulated devices.

    shared: draw from the host's stream instead, so that a program gives the numbers of a run on the CPU.
    """

    def __init__(self, machine: Machine, shared: bool = False) -> None:
        self.machine = machine
        self.shared = shared
        self.defaults: list[Any] = []
        for _ in machine.devices:
            generator = _GENERATOR()
            generator.manual_seed(torch.initial_seed() if torch.default_generator.initial_seed() else DEFAULT_SEED)
            self.defaults.append(generator)

    def drawn(self, known: Operator, args: Any, kwargs: dict[str, Any], device: torch.device) -> Any:
        """Run a random operator with the numbers of the device."""
        if self.shared or device.type != "cuda" or kwargs.get("generator") is not None:
            return known.func(*args, **kwargs)
        own = self.defaults[device.index]
        if known.takes_generator:
            return known.func(*args, **{**kwargs, "generator": own})
        host = torch.default_generator
        kept = host.get_state()
        host.set_state(own.get_state())
        try:
            return known.func(*args, **kwargs)
        finally:
            own.set_state(host.get_state())
            host.set_state(kept)

    def seed(self, seed: int, index: int | None = None) -> None:
        """Seed one device, or all."""
        for at, generator in enumerate(self.defaults):
            if index is None or index == at:
                generator.manual_seed(seed)


class SimulatedGeneratorType(type(_GENERATOR)):  # type: ignore[misc]
    """Plain generators of torch, such as the default one, are instances too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _GENERATOR)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _GENERATOR)


def generator_class(machine: Machine) -> type:
    """What stands for `torch.Generator`: it knows simulated devices."""

    class Generator(_GENERATOR, metaclass=SimulatedGeneratorType):  # type: ignore[misc]
        """A generator whose device may be simulated."""

        def __new__(cls, device: Any = "cpu") -> Any:
            target = machine.canonical(device)
            if target is None or target.type != "cuda":
                return _GENERATOR.__new__(_GENERATOR, device)
            made = _GENERATOR.__new__(cls)
            made.simulated_device = target
            return made

        def __init__(self, device: Any = "cpu") -> None:
            pass

        @property
        def device(self) -> torch.device:
            device: torch.device = self.simulated_device
            return device

        def __reduce__(self) -> Any:
            return _restored, (str(self.device), self.get_state())

        def clone_state(self) -> Any:
            twin = type(self)(self.device)
            twin.set_state(self.get_state())
            return twin

    Generator.__module__, Generator.__qualname__ = "torch", "Generator"
    return Generator


def _restored(device: str, state: Any) -> Any:
    generator = torch.Generator(device)
    generator.set_state(state)
    return generator


def check_generator(generator: Any, target: torch.device, permutation: bool) -> None:
    """Raises RuntimeError where a generator of one device is to fill a tensor on another."""
    device = getattr(generator, "simulated_device", CPU)
    if device == target:
        return
    if permutation and target is CPU:
        raise RuntimeError(messages.PERMUTATION_GENERATOR.format(target, device))
    if device.type != target.type:
        raise RuntimeError(messages.GENERATOR.format(target.type, device.type))

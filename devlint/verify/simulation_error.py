"""What cannot be simulated says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devlint.errors import DevlintError


class SimulationError(DevlintError):
    """The program asks for something that only real hardware can do: a CUDA kernel of its own, Triton,
    NCCL, CUDA graphs.
    """


def refuse(what: str) -> Callable[..., Any]:
    """A function that raises SimulationError, whatever it is called with."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise SimulationError(f"{what} cannot run on the simulated accelerator; run this program on a real device")

    return refused

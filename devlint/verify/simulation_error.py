"""What the simulator says when it cannot answer truthfully."""

from __future__ import annotations

from devlint.errors import DevlintError


class SimulationError(DevlintError):
    """The program asks for something that only real hardware can do (a CUDA kernel of its own, Triton, NCCL).

    Raised instead of a guess: the simulator never gives a silent wrong answer.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} cannot be simulated; run this program on a real accelerator")

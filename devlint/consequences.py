"""What a user sees when a device bug runs: torch's own words where it raises, so that a web search finds the rule."""

from __future__ import annotations

MISMATCH = (
    "on a GPU machine: RuntimeError: Expected all tensors to be on the same device, "
    "but found at least two devices, cuda:0 and cpu!"
)
MISMATCH_OF_WEIGHTS = MISMATCH.replace("cuda:0 and cpu", "cpu and cuda:0")
IDLE = "on a GPU machine: it runs on the CPU, the card stays idle"
NO_CUDA = "without CUDA: AssertionError: Torch not compiled with CUDA enabled"

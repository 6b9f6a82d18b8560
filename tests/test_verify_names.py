"""What `devlint.verify` exports, imported as the documentation says, in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "from devlint.verify import Ledger, SimulationError, simulated_accelerator, verify",
        "import devlint.verify; simulated_accelerator = devlint.verify.simulated_accelerator",
        "import devlint.verify.runner; from devlint.verify import simulated_accelerator",
    ],
)
def test_the_names_are_the_things(text: str) -> None:
    program = f"{text}\nimport torch\nwith simulated_accelerator(devices=2) as ledger:\n    x = torch.ones(3, device='cuda:1')\n    print(ledger.used(x.device))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("12\n", 0), done.stderr

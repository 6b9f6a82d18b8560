"""The pytest plugin: `pytest --device=sim` runs a test-suite as though a CUDA device existed.

Without `--device` it does nothing. Test files are imported with the device in place, so that a
`skipif(not torch.cuda.is_available())` lets its test run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import torch

    from devlint.verify.ledger import Ledger

_STACK = pytest.StashKey[ExitStack]()
_SIMULATION = pytest.StashKey[Any]()


@dataclass(frozen=True, slots=True)
class Accelerator:
    """What the fixture `accelerator` gives: the device, and the ledger where it is simulated."""

    device: torch.device
    ledger: Ledger | None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the plugin."""
    group = parser.getgroup("devlint", "running tests on a real or a simulated accelerator")
    group.addoption(
        "--device",
        choices=("auto", "sim", "cuda", "mps", "xpu", "cpu"),
        default=None,
        help="Run tests on this accelerator; sim: a simulated CUDA device; auto: a real one where "
        "there is one, else sim.",
    )
    group.addoption("--sim-devices", type=int, default=1, help="How many devices to simulate.")


def pytest_configure(config: pytest.Config) -> None:
    """Put the device in place before any test file is imported."""
    config.addinivalue_line(
        "markers", "accelerator: the test needs an accelerator, real or simulated (pytest --device=sim)"
    )
    chosen = config.getoption("--device")
    if chosen in (None, "cpu"):
        return
    from devlint.errors import DevlintError
    from devlint.verify.runner import chosen_device

    try:
        kind = chosen_device(chosen)
    except DevlintError as error:
        raise pytest.UsageError(str(error)) from error
    if kind != "sim":
        return
    from devlint.verify.accelerator import running_simulation

    stack = ExitStack()
    config.stash[_SIMULATION] = stack.enter_context(running_simulation(config.getoption("--sim-devices")))
    config.stash[_STACK] = stack


def pytest_unconfigure(config: pytest.Config) -> None:
    """Put everything back."""
    if stack := config.stash.get(_STACK, None):
        stack.close()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say where the tests run."""
    chosen = config.getoption("--device")
    if chosen is None:
        return None
    return f"devlint: tests run on {'a simulated accelerator' if _SIMULATION in config.stash else chosen}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `accelerator` are skipped where there is none; a failed kernel of one test does not
    fail the next.
    """
    simulation = item.config.stash.get(_SIMULATION, None)
    if simulation is not None:
        simulation.machine.assert_triggered = False
    if item.get_closest_marker("accelerator") and not _present(item.config):
        pytest.skip("needs an accelerator; pytest --device=sim simulates one")


def _present(config: pytest.Config) -> bool:
    if _SIMULATION in config.stash:
        return True
    if config.getoption("--device") in (None, "cpu"):
        return False
    import torch

    return bool(torch.accelerator.is_available())


@pytest.fixture
def accelerator(request: pytest.FixtureRequest) -> Iterator[Accelerator]:
    """The device under test and, where it is simulated, the ledger of what is on it. Skips where there
    is no accelerator.
    """
    config: Any = request.config
    if not _present(config):
        pytest.skip("needs an accelerator; pytest --device=sim simulates one")
    import torch

    simulation = config.stash.get(_SIMULATION, None)
    found = torch.accelerator.current_accelerator()
    assert found is not None
    yield Accelerator(torch.device(found.type, 0), simulation.ledger if simulation else None)

"""Leaving a simulation puts everything back: modes, patched attributes, registries; also after
exceptions and when nested.
"""

from __future__ import annotations

import multiprocessing.spawn
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import serialization
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from devlint.verify.accelerator import simulated_accelerator
from devlint.verify.patches import Patches

OWNERS: list[Any] = [
    torch,
    torch.Tensor,
    torch.UntypedStorage,
    torch.cuda,
    torch.cuda.memory,
    torch.cuda.random,
    torch.cuda.streams,
    torch.cuda.nvtx,
    torch.cuda.nccl,
    torch.accelerator,
    torch.accelerator.memory,
    torch.version,
    torch.backends.cuda,
    torch.backends.cudnn,
    torch.jit,
    torch.autograd,
    torch.autograd.graph,
    torch.autograd.Function,
    torch.autograd.function.BackwardCFunction,
    torch.functional,
    torch.nn.functional,
    torch._tensor,
    torch._C,
    torch._C._autograd,
    torch._C.ScriptFunction,
    torch._C.ScriptMethod,
    torch.nn.parallel.comm,
    torch.distributed,
    threading.Thread,
    multiprocessing.spawn,
]


def snapshot() -> list[dict[str, int]]:
    return [{name: id(value) for name, value in vars(owner).items() if name != "__dict__"} for owner in OWNERS]


def modes() -> tuple[int, int, int]:
    return (
        len(_get_current_dispatch_mode_stack()),
        len(_get_current_function_mode_stack()),
        len(serialization._package_registry),
    )


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    with simulated_accelerator():
        torch.ones(1, device="cuda").sum()  # what torch itself loads late is loaded now
    before, stacks = snapshot(), modes()
    yield
    changed = [
        (owner, name)
        for owner, old, new in zip(OWNERS, before, snapshot(), strict=True)
        for name in old.keys() | new.keys()
        if old.get(name) != new.get(name) and not name.startswith("__")
    ]
    assert changed == [] and modes() == stacks


def test_every_patch_is_to_an_owner_that_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    owners: list[Any] = []
    real = Patches.set

    def note(self: Patches, owner: Any, name: str, value: Any) -> None:
        owners.append(owner)
        real(self, owner, name, value)

    monkeypatch.setattr(Patches, "set", note)
    with simulated_accelerator():
        pass
    assert [
        owner
        for owner in owners
        if not any(owner is known for known in OWNERS) and "torch" not in getattr(owner, "__name__", "")
    ] == []


def test_after_use() -> None:
    with simulated_accelerator() as ledger:
        x = torch.ones(3, device="cuda")
        assert x.is_cuda and ledger.used(torch.device("cuda", 0)) == 12
    assert not torch.cuda.is_available()
    assert x.device.type == "cpu"


def test_after_an_exception() -> None:
    with pytest.raises(RuntimeError, match="same device"), simulated_accelerator():
        torch.ones(3, device="cuda") + torch.ones(3)
    assert torch.cuda.device_count() == 0


def test_nested() -> None:
    with simulated_accelerator():
        outer = torch.ones(2, device="cuda")
        with simulated_accelerator(devices=2):
            assert torch.cuda.device_count() == 2
            assert torch.ones(2, device="cuda:1").get_device() == 1
        assert torch.cuda.device_count() == 1
        assert (outer + 1).is_cuda


def test_settings_of_torch_survive() -> None:
    with simulated_accelerator():
        torch.set_default_device("cuda")
        torch.set_default_device(None)
    assert torch.ones(1).device.type == "cpu"


def test_the_host_stream_is_untouched() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    with simulated_accelerator():
        torch.rand(5, device="cuda")
        assert torch.equal(torch.rand(2), expected)

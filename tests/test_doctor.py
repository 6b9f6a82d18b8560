"""`devlint doctor`: every reason for a missing accelerator, in a faked environment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace as Fake
from typing import Any

import pytest
from click.testing import CliRunner

from devlint import doctor
from devlint.doctor import Diagnosis, Environment, as_text, diagnose

SMI = "NVIDIA RTX 4090, 24564 MiB, 550.54\n"
SMI_HEADER = "| NVIDIA-SMI 550.54  Driver Version: 550.54  CUDA Version: 12.4 |"


def fake_torch(cuda: str | None = None, devices: int = 0, mps_built: bool = False, mps: bool = False) -> Any:
    def properties(index: int) -> Any:
        return Fake(name="NVIDIA RTX 4090", total_memory=24 * 2**30, major=8, minor=9)

    return Fake(
        __version__="2.13.0",
        version=Fake(cuda=cuda, hip=None),
        cuda=Fake(is_available=lambda: devices > 0, device_count=lambda: devices, get_device_properties=properties),
        xpu=Fake(is_available=lambda: False),
        mps=Fake(is_available=lambda: mps, device_count=lambda: 1),
        backends=Fake(mps=Fake(is_built=lambda: mps_built)),
        zeros=lambda n: Fake(cuda=lambda: (_ for _ in ()).throw(RuntimeError("CUDA unknown error"))),
    )


def environment(torch: Any, smi: str | None = None, **options: Any) -> Environment:
    def run(command: Sequence[str]) -> str | None:
        if command[0] != "nvidia-smi" or smi is None:
            return None
        return smi if len(command) > 1 or smi.startswith("error") else SMI_HEADER

    defaults = {
        "variables": {},
        "system": "Linux",
        "machine": "x86_64",
        "device_files": list,
        "readable": lambda path: True,
    }
    return Environment(run=run, load_torch=lambda: torch, **{**defaults, **options})


def codes(found: Diagnosis) -> list[str]:
    return [cause.code for cause in found.causes]


def test_a_device_that_torch_sees_is_named_with_memory_and_capability() -> None:
    found = diagnose(environment(fake_torch("12.4", devices=1), SMI))
    assert found.healthy and not found.causes
    assert "cuda:0  NVIDIA RTX 4090, 24.0 GiB, compute capability 8.9" in as_text(found)


def test_mps_is_seen() -> None:
    found = diagnose(environment(fake_torch(mps=True, mps_built=True), system="Darwin", machine="arm64"))
    assert [device.kind for device in found.devices] == ["mps"]


@pytest.mark.parametrize(
    ("world", "code"),
    [
        (environment(fake_torch(), SMI), "cpu-build"),
        (environment(fake_torch()), "cpu-build"),
        (environment(fake_torch("12.4")), "no-driver"),
        (environment(fake_torch("13.0"), SMI), "driver-too-old"),
        (
            environment(fake_torch("12.4"), "error: Failed to initialize NVML: Driver/library version mismatch"),
            "driver-fails",
        ),
        (environment(fake_torch("12.4"), SMI, variables={"CUDA_VISIBLE_DEVICES": ""}), "devices-hidden"),
        (environment(fake_torch("12.4"), SMI, variables={"CUDA_VISIBLE_DEVICES": "-1"}), "devices-hidden"),
        (
            environment(fake_torch("12.4"), SMI, device_files=lambda: ["/dev/nvidia0"], readable=lambda path: False),
            "no-permission",
        ),
        (environment(fake_torch(), system="Darwin", machine="x86_64"), "mps-not-built"),
        (environment(fake_torch(mps_built=True), system="Darwin", machine="arm64"), "mps-unavailable"),
        (environment(fake_torch("12.4"), SMI), "unknown"),
    ],
)
def test_each_reason_has_its_code_and_a_remedy(world: Environment, code: str) -> None:
    found = diagnose(world)
    assert code in codes(found) and not found.healthy
    assert all(cause.remedy and "{" not in cause.what + cause.remedy for cause in found.causes)
    assert f"why [{code}]" in as_text(found)


def test_a_newer_minor_version_is_not_too_old() -> None:
    assert "driver-too-old" not in codes(diagnose(environment(fake_torch("12.8"), SMI)))


def test_a_missing_torch_is_a_cause_not_an_exception() -> None:
    def missing() -> Any:
        raise ImportError("No module named 'torch'")

    assert codes(diagnose(Environment(load_torch=missing, run=lambda command: None))) == ["no-torch"]


def test_nothing_raises_when_every_probe_does() -> None:
    def bang(*_: Any) -> Any:
        raise OSError("bang")

    found = diagnose(Environment(run=bang, load_torch=lambda: Fake(), device_files=bang, readable=bang))
    assert not found.healthy and len(found.causes) >= 2
    assert as_text(found)


def test_the_command_speaks_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor, "diagnose", lambda: Diagnosis(torch="2.13.0", devices=[doctor.Device("GPU", "cuda", 0)])
    )
    result = CliRunner().invoke(doctor.doctor_command, ["--json"])
    assert result.exit_code == 0 and json.loads(result.output)["devices"][0]["name"] == "GPU"

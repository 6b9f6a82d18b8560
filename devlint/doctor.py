"""`devlint doctor`: which accelerators torch sees, what the driver says, and when none is seen, why.

Everything is read through `Environment`, so that each situation can be tested; nothing here raises.
"""

from __future__ import annotations

import glob
import importlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import click


def _run(command: Sequence[str]) -> str | None:
    """Output of a command; None where it is missing or fails."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    return done.stdout if done.returncode == 0 else f"error: {(done.stderr or done.stdout).strip()}"


@dataclass(frozen=True)
class Environment:
    """The world as the doctor sees it."""

    variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    system: str = field(default_factory=platform.system)
    machine: str = field(default_factory=platform.machine)
    run: Callable[[Sequence[str]], str | None] = _run
    load_torch: Callable[[], Any] = lambda: importlib.import_module("torch")
    device_files: Callable[[], list[str]] = lambda: glob.glob("/dev/nvidia[0-9]*") + glob.glob("/dev/kfd")
    readable: Callable[[str], bool] = lambda path: os.access(path, os.R_OK | os.W_OK)


@dataclass(frozen=True)
class Device:
    """One accelerator as torch sees it. memory: bytes."""

    name: str
    kind: str
    index: int
    memory: int | None = None
    capability: str | None = None


@dataclass(frozen=True)
class Cause:
    """Why no accelerator is seen, or one not fully, and what to do."""

    code: str
    what: str
    remedy: str


@dataclass
class Diagnosis:
    """The whole answer."""

    python: str = ""
    system: str = ""
    torch: str | None = None
    built_for: str | None = None
    devices: list[Device] = field(default_factory=list)
    driver: str | None = None
    driver_cuda: str | None = None
    driver_devices: list[str] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        """Whether torch sees an accelerator."""
        return bool(self.devices)


NO_TORCH = Cause(
    "no-torch",
    "torch cannot be imported: {}",
    "install it in this Python ({}): see https://pytorch.org/get-started/locally/",
)
CPU_BUILD = Cause(
    "cpu-build",
    "this torch ({}) is built for the CPU only, though the driver sees {}",
    "install a CUDA build: see https://pytorch.org/get-started/locally/ and choose the CUDA "
    "version of your driver ({})",
)
CPU_BUILD_NO_GPU = Cause(
    "cpu-build",
    "this torch ({}) is built for the CPU only, and no NVIDIA or AMD driver is seen",
    "on a machine with a GPU install its driver and a GPU build of torch; without one, `devlint "
    "verify --device sim` pretends it",
)
NO_DRIVER = Cause(
    "no-driver",
    "torch is built for {} but no driver answers (nvidia-smi or rocm-smi is missing)",
    "install the driver of your GPU; in a container start it with `--gpus all` and the NVIDIA container toolkit",
)
DRIVER_FAILS = Cause(
    "driver-fails",
    "nvidia-smi fails: {}",
    "reload the driver or restart the machine; after a driver update the kernel module and the library must agree",
)
DRIVER_TOO_OLD = Cause(
    "driver-too-old",
    "the driver ({}) supports CUDA {}, torch is built for CUDA {}",
    "update the driver, or install a torch built for CUDA {} or older",
)
HIDDEN = Cause(
    "devices-hidden",
    "{}={!r} hides every device",
    "unset it, or set it to the index of a device, such as 0",
)
NO_PERMISSION = Cause(
    "no-permission",
    "{} exists but this user may not open it",
    "add the user to the groups `video` and `render` and log in again, or ask the administrator; "
    "in a container pass the device in",
)
NO_MPS = Cause(
    "mps-not-built",
    "this Mac has an Apple GPU, but torch is built without MPS",
    "use a native arm64 Python and the usual macOS wheel of torch: `python -c 'import platform; "
    "print(platform.machine())'` must say arm64",
)
MPS_UNAVAILABLE = Cause(
    "mps-unavailable",
    "torch is built with MPS but cannot use it",
    "MPS needs macOS 14 or newer and a Mac with an Apple GPU; a virtual machine often has none",
)
UNKNOWN = Cause(
    "unknown",
    "torch is built for {}, the driver answers, and still no device is seen: {}",
    "run `python -c 'import torch; torch.zeros(1).cuda()'` and look its message up",
)


def diagnose(environment: Environment | None = None) -> Diagnosis:
    """Look at everything; a part that fails becomes a cause, never an exception."""
    world = environment or Environment()
    found = Diagnosis(python=sys.version.split()[0], system=f"{world.system} {world.machine}")
    _guarded(found, "driver", lambda: _read_driver(world, found))
    try:
        torch = world.load_torch()
    except Exception as error:
        found.causes.append(_said(NO_TORCH, (error,), (sys.executable,)))
        return found
    _guarded(found, "torch", lambda: _read_torch(torch, found))
    if not found.healthy:
        _guarded(found, "causes", lambda: _explain(world, torch, found))
    return found


def _guarded(found: Diagnosis, part: str, step: Callable[[], None]) -> None:
    try:
        step()
    except Exception as error:
        found.causes.append(
            Cause(
                f"{part}-check-failed",
                f"looking at {part} failed: {type(error).__name__}: {error}",
                "please report this",
            )
        )


def _said(cause: Cause, what: tuple[Any, ...] = (), remedy: tuple[Any, ...] = ()) -> Cause:
    return Cause(cause.code, cause.what.format(*what), cause.remedy.format(*remedy))


def _read_driver(world: Environment, found: Diagnosis) -> None:
    listing = world.run(["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"])
    if listing is None:
        rocm = world.run(["rocm-smi", "--showproductname"])
        if rocm and not rocm.startswith("error:"):
            found.driver, found.driver_devices = "rocm", re.findall(r"Card [Ss]eries:\s*(.+)", rocm)
        return
    if listing.startswith("error:"):
        found.driver = listing
        return
    rows = [[cell.strip() for cell in line.split(",")] for line in listing.strip().splitlines() if line.count(",") >= 2]
    found.driver = f"NVIDIA {rows[0][2]}" if rows else "NVIDIA"
    found.driver_devices = [f"{row[0]} ({row[1]})" for row in rows]
    version = re.search(r"CUDA Version:\s*([\d.]+)", world.run(["nvidia-smi"]) or "")
    found.driver_cuda = version[1] if version else None


def _read_torch(torch: Any, found: Diagnosis) -> None:
    found.torch = str(torch.__version__)
    version = torch.version
    cuda, hip = getattr(version, "cuda", None), getattr(version, "hip", None)
    found.built_for = f"CUDA {cuda}" if cuda else f"ROCm {hip}" if hip else None
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            seen = torch.cuda.get_device_properties(index)
            found.devices.append(Device(seen.name, "cuda", index, int(seen.total_memory), f"{seen.major}.{seen.minor}"))
    for kind in ("xpu", "mps"):
        module = getattr(torch, kind, None)
        if module is not None and module.is_available():
            for index in range(module.device_count()):
                name = module.get_device_name(index) if hasattr(module, "get_device_name") else "Apple GPU"
                found.devices.append(Device(str(name), kind, index))


def _explain(world: Environment, torch: Any, found: Diagnosis) -> None:
    if world.system == "Darwin":
        mps = getattr(torch.backends, "mps", None)
        found.causes.append(MPS_UNAVAILABLE if mps is not None and mps.is_built() else NO_MPS)
        return
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):
        value = world.variables.get(name)
        if value is not None and (value.strip() in ("", "NoDevFiles") or value.strip().startswith("-")):
            found.causes.append(_said(HIDDEN, (name, value)))
    for path in world.device_files():
        if not world.readable(path):
            found.causes.append(_said(NO_PERMISSION, (path,)))
    failing = found.driver is not None and found.driver.startswith("error:")
    if failing and found.driver is not None:
        found.causes.append(_said(DRIVER_FAILS, (found.driver.removeprefix("error: "),)))
    if found.built_for is None:
        if found.driver_devices:
            devices = ", ".join(found.driver_devices)
            found.causes.append(_said(CPU_BUILD, (found.torch, devices), (found.driver_cuda or "see nvidia-smi",)))
        else:
            found.causes.append(_said(CPU_BUILD_NO_GPU, (found.torch,)))
    elif found.driver is None:
        found.causes.append(_said(NO_DRIVER, (found.built_for,)))
    elif _too_old(found):
        wanted = found.built_for.removeprefix("CUDA ")
        found.causes.append(_said(DRIVER_TOO_OLD, (found.driver, found.driver_cuda, wanted), (found.driver_cuda,)))
    if not found.causes:
        found.causes.append(_said(UNKNOWN, (found.built_for, _complaint(torch))))


def _too_old(found: Diagnosis) -> bool:
    if not found.driver_cuda or not found.built_for or not found.built_for.startswith("CUDA "):
        return False
    have, want = (tuple(int(n) for n in re.findall(r"\d+", text)[:2]) for text in (found.driver_cuda, found.built_for))
    # a driver runs every minor version of its major (https://docs.nvidia.com/deploy/cuda-compatibility/)
    return have[:1] < want[:1]


def _complaint(torch: Any) -> str:
    try:
        torch.zeros(1).cuda()
    except Exception as error:
        return str(error).partition("\n")[0] or type(error).__name__
    return "no error"


def as_text(found: Diagnosis) -> str:
    """One screen."""
    lines = [f"Python {found.python} on {found.system}"]
    lines.append(
        f"torch {found.torch or 'not found'}"
        + (f", built for {found.built_for}" if found.built_for else ", built for the CPU" if found.torch else "")
    )
    driver = found.driver or "none found (no nvidia-smi, no rocm-smi)"
    lines.append(f"driver: {driver}" + (f", CUDA up to {found.driver_cuda}" if found.driver_cuda else ""))
    lines.extend(f"  {name}" for name in found.driver_devices)
    lines.append(f"accelerators that torch sees: {len(found.devices) or 'none'}")
    for device in found.devices:
        memory = f", {device.memory / 2**30:.1f} GiB" if device.memory else ""
        capability = f", compute capability {device.capability}" if device.capability else ""
        lines.append(f"  {device.kind}:{device.index}  {device.name}{memory}{capability}")
    for cause in found.causes:
        lines += ["", f"why [{cause.code}]: {cause.what}", f"  do: {cause.remedy}"]
    return "\n".join(lines)


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def doctor_command(as_json: bool) -> None:
    """Which accelerators does torch see here, and when none, why not?

    Exit code 0 where one is seen, 1 where none is.
    """
    found = diagnose()
    click.echo(json.dumps({**asdict(found), "healthy": found.healthy}, indent=2) if as_json else as_text(found))
    sys.exit(0 if found.healthy else 1)

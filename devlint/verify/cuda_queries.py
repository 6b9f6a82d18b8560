"""What `torch.cuda` and `torch.accelerator` answer.

Most of torch's Python code is left in place: it asks `torch._C._cuda_*`, which a CPU build lacks and which is
supplied here. So messages and argument checks of `torch.cuda` are torch's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from devlint.verify import messages
from devlint.verify.machine import Machine, accelerator_error, device_error
from devlint.verify.patches import Patches
from devlint.verify.simulation_error import SimulationError
from devlint.verify.streams import Stream


@dataclass(frozen=True)
class DeviceProperties:
    """`torch.cuda.get_device_properties`, with the limits of a compute capability 9.0 device."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int = 32
    max_threads_per_multi_processor: int = 2048
    max_threads_per_block: int = 1024
    regs_per_multiprocessor: int = 65536
    shared_memory_per_block: int = 49152
    shared_memory_per_block_optin: int = 232448
    shared_memory_per_multiprocessor: int = 233472
    L2_cache_size: int = 52428800
    clock_rate: int = 1980000
    memory_clock_rate: int = 2619000
    memory_bus_width: int = 5120
    is_integrated: int = 0
    is_multi_gpu_board: int = 0
    pci_bus_id: int = 0
    pci_device_id: int = 0
    pci_domain_id: int = 0
    gcnArchName: str = ""
    uuid: str = "00000000-0000-0000-0000-000000000000"


def install(machine: Machine, patches: Patches) -> None:
    for name, value in (low_level(machine) | accelerator_low_level(machine)).items():
        patches.set(torch._C, name, value)
    for name, value in cuda(machine).items():
        patches.set_everywhere(torch.cuda, name, value)
    for name, value in accelerator(machine).items():
        patches.set_everywhere(torch.accelerator, name, value)
    patches.set(torch.version, "cuda", machine.hardware.cuda)
    patches.set(torch._C, "_get_default_device", lambda: (machine.default_type_device or torch.device("cpu")).type)
    patches.set(torch.backends.cuda, "is_built", lambda: True)
    patches.set(torch.backends.cudnn, "is_available", lambda: True)
    patches.set(torch.backends.cudnn, "version", lambda: 91002)
    patches.set(torch.cuda.nvtx, "_nvtx", _Ranges())


def cuda(machine: Machine) -> dict[str, Any]:
    """Names of `torch.cuda` itself."""

    def lazy_call(call: Callable[[], Any], **_: Any) -> None:
        call()

    def device_count() -> int:
        return machine.count

    def is_available() -> bool:
        return machine.count > 0

    return {
        "_lazy_init": machine.initialise,
        "init": lambda: machine.initialise(),
        "_lazy_call": lazy_call,
        "_is_in_bad_fork": lambda: machine.in_bad_fork,
        "is_initialized": lambda: machine.initialised,
        "_initialized": True,
        "is_available": is_available,
        "device_count": device_count,
        "_exchange_device": exchange(machine),
        "_maybe_exchange_device": exchange(machine),
        "_get_device_properties": lambda index: properties(machine),
        "default_generators": tuple(machine.streams),
        "get_arch_list": lambda: [f"sm_{major}{minor}" for major, minor in [machine.hardware.capability]],
        "get_device_capability": lambda device=None: _capability(machine, device),
        "mem_get_info": lambda device=None: memory_info(machine, torch.cuda._utils._get_device_index(device, True)),
        "device_memory_used": lambda device=None: 0,
        "cudart": refuse("the CUDA runtime library"),
        "_compile_kernel": refuse("torch.cuda._compile_kernel (a CUDA kernel compiled from source)"),
        "utilization": lambda device=None: 0,
        "temperature": lambda device=None: 40,
        "power_draw": lambda device=None: 100000,
        "clock_rate": lambda device=None: 1980,
        "memory_usage": lambda device=None: 0,
        "can_device_access_peer": lambda device, peer: device != peer,
    } | {"is_current_stream_capturing": lambda: False}


def low_level(machine: Machine) -> dict[str, Any]:
    """Names of `torch._C` that a CUDA build has and the Python code of `torch.cuda` calls."""
    ledger = machine.ledger

    def set_device(index: int) -> None:
        machine.device(index)
        machine.thread.current = index

    def reset_peak(index: int) -> None:
        ledger.peak[machine.cuda[index]] = ledger.allocated[machine.cuda[index]]

    return {
        "_cuda_init": lambda: None,
        "_cuda_getDeviceCount": lambda: machine.count,
        "_cuda_getDevice": lambda: machine.thread.current,
        "_cuda_setDevice": set_device,
        "_cuda_exchangeDevice": exchange(machine),
        "_cuda_maybeExchangeDevice": exchange(machine),
        "_cuda_synchronize": lambda: None,
        "_cuda_ipc_collect": lambda: None,
        "_cuda_emptyCache": lambda: None,
        "_cuda_memoryStats": lambda index: memory_stats(machine, index),
        "_cuda_resetPeakMemoryStats": reset_peak,
        "_cuda_resetAccumulatedMemoryStats": lambda index: None,
        "_cuda_hostMemoryStats": lambda: {},
        "_cuda_setMemoryFraction": lambda fraction, index: None,
        "_cuda_getMemoryFraction": lambda index: 1.0,
        "_cuda_getAllocatorBackend": lambda: "native",
        "_cuda_memorySnapshot": lambda *_: {"segments": [], "device_traces": []},
        "_cuda_sleep": lambda cycles: None,
        "_cuda_isCurrentStreamCapturing": lambda: False,
        "_cuda_getCurrentRawStream": lambda index: 0,
        "_cuda_getCurrentStream": lambda index: (0, index, 1),
        "_cuda_getDefaultStream": lambda index: (0, index, 1),
        "_cuda_set_sync_debug_mode": lambda mode: None,
        "_cuda_get_sync_debug_mode": lambda: 0,
        "_cuda_canDeviceAccessPeer": lambda one, other: True,
        "_cuda_getCurrentBlasHandle": refuse("a cuBLAS handle"),
        "_cuda_getCurrentSolverHandle": refuse("a cuSOLVER handle"),
        "_cuda_jiterator_compile_and_launch_kernel": refuse("a jiterator kernel"),
    }


def accelerator_low_level(machine: Machine) -> dict[str, Any]:
    def set_device(index: int) -> None:
        machine.device(index)
        machine.thread.current = index

    def capability(index: int) -> dict[str, Any]:
        return {"supported_dtypes": {torch.float16, torch.bfloat16, torch.float32, torch.float64}}

    ledger = machine.ledger
    return {
        "_accelerator_getAccelerator": lambda: torch.device("cuda"),
        "_accelerator_getDeviceIndex": lambda: machine.thread.current,
        "_accelerator_setDeviceIndex": set_device,
        "_accelerator_exchangeDevice": exchange(machine),
        "_accelerator_maybeExchangeDevice": exchange(machine),
        "_accelerator_getDeviceCapability": capability,
        "_accelerator_getStream": lambda index: Stream.current(machine, index),
        "_accelerator_setStream": lambda stream: None,
        "_accelerator_synchronizeDevice": lambda index: None,
        "_accelerator_isAllocatorInitialized": lambda: True,
        "_accelerator_emptyCache": lambda: None,
        "_accelerator_emptyHostCache": lambda: None,
        "_accelerator_getDeviceStats": lambda index: memory_stats(machine, index),
        "_accelerator_resetAccumulatedStats": lambda index: None,
        "_accelerator_resetPeakStats": lambda index: ledger.peak.__setitem__(
            machine.cuda[index], ledger.allocated[machine.cuda[index]]
        ),
        "_accelerator_getMemoryInfo": lambda index: memory_info(machine, index),
    }


def accelerator(machine: Machine) -> dict[str, Any]:
    return {
        "is_available": lambda: machine.count > 0,
        "device_count": lambda: machine.count,
    }


def properties(machine: Machine) -> DeviceProperties:
    hardware = machine.hardware
    return DeviceProperties(hardware.name, *hardware.capability, hardware.memory, hardware.multiprocessors)


def _capability(machine: Machine, device: Any) -> tuple[int, int]:
    found = torch.cuda.get_device_properties(device)
    return found.major, found.minor


def exchange(machine: Machine) -> Callable[[int], int]:
    """`cudaExchangeDevice`: make a device current, give the one that was; a negative index changes nothing."""

    def exchange_device(index: int) -> int:
        if index < 0:
            return -1
        if index >= machine.count:
            raise accelerator_error(messages.ORDINAL)
        before, machine.thread.current = machine.thread.current, index
        return before

    return exchange_device


def memory_stats(machine: Machine, index: int) -> dict[str, Any]:
    """The nested figures of CUDA's caching allocator, in bytes; nothing is cached, so reserved equals allocated."""
    device = machine.cuda[index]
    current, peak = machine.ledger.allocated[device], machine.ledger.peak[device]
    figure = {"current": current, "peak": peak, "allocated": peak, "freed": peak - current}
    empty = dict.fromkeys(figure, 0)
    pools = {"all": figure, "small_pool": empty, "large_pool": figure}
    nothing = {"all": empty, "small_pool": empty, "large_pool": empty}
    names = ("allocated_bytes", "reserved_bytes", "active_bytes", "requested_bytes")
    return (
        {name: pools for name in names}
        | {name: nothing for name in ("allocation", "segment", "active", "inactive_split", "inactive_split_bytes")}
        | {"oversize_allocations": empty, "oversize_segments": empty}
        | {"num_alloc_retries": 0, "num_ooms": 0, "num_sync_all_streams": 0, "max_split_size": -1}
        | {"num_device_alloc": 0, "num_device_free": 0}
    )


def memory_info(machine: Machine, index: int) -> tuple[int, int]:
    """(free, total) bytes."""
    total = machine.hardware.memory
    return total - machine.ledger.allocated[machine.cuda[index]], total


def refuse(what: str) -> Callable[..., Any]:
    def refused(*_: Any, **__: Any) -> Any:
        raise device_error(SimulationError(what))

    return refused


class _Ranges:
    """NVTX marks for a profiler that is not there."""

    def __init__(self) -> None:
        self.depth = 0

    def rangePushA(self, message: str) -> int:
        self.depth += 1
        return self.depth - 1

    def rangePop(self) -> int:
        self.depth -= 1
        return self.depth

    def rangeStartA(self, message: str) -> int:
        return 0

    def rangeEnd(self, mark: int) -> None: ...

    def markA(self, message: str) -> None: ...

    def deviceRangeStart(self, *_: Any) -> int:
        return 0

    def deviceRangeEnd(self, *_: Any) -> None: ...

"""What `torch.cuda` and `torch.accelerator` answer on the simulated machine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from devlint.verify.machine import MEMORY_BYTES
from devlint.verify.patches import Patches
from devlint.verify.simulation import Simulation
from devlint.verify.simulation_error import refuse

NAME = "devlint simulated accelerator"
CAPABILITY = (8, 0)
CUDA_VERSION = "12.8"


class DeviceProperties(SimpleNamespace):
    """Stands for torch.cuda._CudaDeviceProperties."""

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB)"
        )


def properties(index: int) -> DeviceProperties:
    """Those of a mid-size device of 2020."""
    return DeviceProperties(
        name=NAME,
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=MEMORY_BYTES,
        multi_processor_count=108,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=166912,
        shared_memory_per_multiprocessor=167936,
        warp_size=32,
        is_integrated=0,
        is_multi_gpu_board=0,
        gcnArchName="",
        L2_cache_size=41943040,
        clock_rate=1410000,
        memory_clock_rate=1215000,
        memory_bus_width=5120,
        pci_bus_id=index,
        pci_device_id=0,
        pci_domain_id=0,
        uuid=f"00000000-0000-0000-0000-{index:012d}",
    )


def install_queries(sim: Simulation, patches: Patches) -> None:
    """Answer for the whole machine."""
    patches.set_all(torch.cuda, {**_devices(sim), **_properties(sim), **_features()})
    patches.set_all(torch.cuda, memory_figures(sim))
    patches.set_all(torch.cuda.memory, memory_figures(sim))
    patches.set_all(torch.cuda, _seeds(sim))
    patches.set_all(torch.cuda.random, _seeds(sim))
    patches.set_all(torch.accelerator, _accelerator(sim))
    patches.set_all(torch.accelerator, _accelerator_memory(sim))
    patches.set_all(torch.accelerator.memory, _accelerator_memory(sim))
    patches.set(torch._C, "_get_accelerator", lambda *_: torch.device("cuda"))
    patches.set(torch.version, "cuda", CUDA_VERSION)
    patches.set_all(torch.backends.cuda, {"is_built": lambda: True})
    patches.set_all(
        torch.backends.cudnn,
        {"is_available": lambda: True, "version": lambda: 91002, "is_acceptable": lambda tensor: False},
    )
    nvtx = torch.cuda.nvtx
    names = ("range_push", "range_pop", "mark", "range_start", "range_end")
    patches.set_all(nvtx, {name: lambda *args, **options: 0 for name in names})


def _devices(sim: Simulation) -> dict[str, Any]:
    machine = sim.machine
    device_class = torch.cuda.device

    class Device:
        """`with torch.cuda.device(i)`."""

        def __init__(self, device: Any) -> None:
            self.idx = torch.cuda._utils._get_device_index(device, optional=True)

        def __enter__(self) -> None:
            self.before = machine.current
            if self.idx is not None and self.idx >= 0:
                set_device(self.idx)

        def __exit__(self, *_: Any) -> None:
            machine.current = self.before

    class DeviceOf(Device):
        """`with torch.cuda.device_of(tensor)`."""

        def __init__(self, tensor: Any) -> None:
            self.idx = tensor.get_device() if tensor.is_cuda else -1

    Device.__name__ = Device.__qualname__ = device_class.__name__

    def set_device(device: Any) -> None:
        index = torch.cuda._utils._get_device_index(device)
        if index >= 0:
            target = machine.canonical(index)
            assert target is not None
            machine.current = target.index

    def current_device() -> int:
        machine.touch()
        return machine.current

    def available() -> bool:
        machine.poison_fork()
        return True

    def synchronize(device: Any = None) -> None:
        machine.touch()
        machine.ordinal(device)

    def exchange(device: int) -> int:
        before = machine.current
        if device >= 0:
            set_device(device)
        return before

    return {
        "is_available": available,
        "device_count": lambda: len(machine.devices),
        "current_device": current_device,
        "set_device": set_device,
        "device": Device,
        "device_of": DeviceOf,
        "_device": Device,
        "_exchange_device": exchange,
        "_maybe_exchange_device": lambda device: exchange(device),
        "synchronize": synchronize,
        "init": lambda: machine.touch(),
        "_lazy_init": lambda: machine.touch(),
        "_lazy_call": lambda call, **_: call(),
        "_is_in_bad_fork": lambda: False,
        "is_initialized": lambda: machine.initialized,
        "ipc_collect": lambda: None,
        "can_device_access_peer": lambda device, peer: machine.ordinal(device) != machine.ordinal(peer),
    }


def _properties(sim: Simulation) -> dict[str, Any]:
    machine = sim.machine
    return {
        "get_device_name": lambda device=None: properties(machine.ordinal(device)).name,
        "get_device_capability": lambda device=None: (machine.ordinal(device), CAPABILITY)[1],
        "get_device_properties": lambda device=None: properties(machine.ordinal(device)),
        "_get_device_properties": properties,
        "get_arch_list": lambda: ["sm_80", "sm_90"],
        "get_gencode_flags": lambda: "-gencode compute=compute_80,code=sm_80",
        "utilization": lambda device=None: (machine.ordinal(device), 0)[1],
        "temperature": lambda device=None: (machine.ordinal(device), 40)[1],
        "power_draw": lambda device=None: (machine.ordinal(device), 0)[1],
        "clock_rate": lambda device=None: (machine.ordinal(device), 1410)[1],
        "memory_usage": lambda device=None: (machine.ordinal(device), 0)[1],
        "list_gpu_processes": lambda device=None: f"GPU:{machine.ordinal(device)}\nno processes are running",
    }


def _features() -> dict[str, Any]:
    return {
        "is_bf16_supported": lambda including_emulation=True: True,
        "is_tf32_supported": lambda: True,
        "is_current_stream_capturing": lambda: False,
        "CUDAGraph": refuse("a CUDA graph"),
        "graph": refuse("a CUDA graph"),
        "make_graphed_callables": refuse("a CUDA graph"),
        "_compile_kernel": refuse("a CUDA kernel"),
    }


def memory_figures(sim: Simulation) -> dict[str, Any]:
    """Bytes in use as the caching allocator reports them; reserved counts whole blocks of 2 MiB."""
    machine, ledger = sim.machine, sim.ledger

    def used(device: Any = None) -> int:
        return ledger.used(machine.devices[machine.ordinal(device)])

    def peak(device: Any = None) -> int:
        return ledger.peak(machine.devices[machine.ordinal(device)])

    def reserved(device: Any = None) -> int:
        return -(-peak(device) // 2**21) * 2**21

    def reset(device: Any = None) -> None:
        ledger.reset_peak(machine.devices[machine.ordinal(device)])

    def stats(device: Any = None) -> dict[str, int]:
        figures = {
            "allocated": (used(device), peak(device)),
            "reserved": (reserved(device), reserved(device)),
        }
        return {
            f"{name}_bytes.{pool}.{when}": value
            for name, (now, most) in figures.items()
            for pool in ("all", "large_pool", "small_pool")
            for when, value in (("current", now), ("peak", most), ("allocated", most), ("freed", most - now))
        }

    return {
        "memory_allocated": used,
        "max_memory_allocated": peak,
        "memory_reserved": reserved,
        "max_memory_reserved": reserved,
        "memory_cached": reserved,
        "max_memory_cached": reserved,
        "reset_peak_memory_stats": reset,
        "reset_max_memory_allocated": reset,
        "reset_max_memory_cached": reset,
        "reset_accumulated_memory_stats": lambda device=None: None,
        "memory_stats": stats,
        "memory_summary": lambda device=None, abbreviated=False: (
            f"allocated {used(device)} bytes, peak {peak(device)} bytes"
        ),
        "memory_snapshot": lambda *args, **options: [],
        "mem_get_info": lambda device=None: (MEMORY_BYTES - used(device), MEMORY_BYTES),
        "device_memory_used": used,
        "empty_cache": lambda: None,
        "set_per_process_memory_fraction": lambda fraction, device=None: None,
        "get_per_process_memory_fraction": lambda device=None: 1.0,
    }


def _seeds(sim: Simulation) -> dict[str, Any]:
    machine, streams = sim.machine, sim.streams

    def index(device: Any = None) -> int:
        return machine.ordinal(device)

    def fresh(*indices: int) -> int:
        seed = int(streams.defaults[indices[0]].seed())
        for at in indices:
            streams.seed(seed, at)
        return seed

    def restore(states: Any) -> None:
        for generator, state in zip(streams.defaults, states, strict=False):
            generator.set_state(state)

    return {
        "manual_seed": lambda seed: streams.seed(int(seed), machine.current),
        "manual_seed_all": lambda seed: streams.seed(int(seed)),
        "seed": lambda: fresh(machine.current),
        "seed_all": lambda: fresh(*range(len(streams.defaults))),
        "initial_seed": lambda: streams.defaults[machine.current].initial_seed(),
        "get_rng_state": lambda device="cuda": streams.defaults[index(device)].get_state(),
        "get_rng_state_all": lambda: [generator.get_state() for generator in streams.defaults],
        "set_rng_state": lambda state, device="cuda": streams.defaults[index(device)].set_state(state),
        "set_rng_state_all": restore,
        "default_generators": tuple(streams.defaults),
    }


def _accelerator(sim: Simulation) -> dict[str, Any]:
    machine = sim.machine

    class DeviceIndex:
        """`with torch.accelerator.device_index(i)`."""

        def __init__(self, device: int | None) -> None:
            self.idx = device

        def __enter__(self) -> None:
            self.before = machine.current
            if self.idx is not None:
                set_index(self.idx)

        def __exit__(self, *_: Any) -> None:
            machine.current = self.before

    def set_index(device: Any) -> None:
        torch.cuda.set_device(device if isinstance(device, int) else torch.device(device))

    def available() -> bool:
        return bool(torch.cuda.is_available())

    return {
        "is_available": available,
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "device_count": lambda: len(machine.devices),
        "current_device_index": lambda: machine.current,
        "current_device_idx": lambda: machine.current,
        "set_device_index": set_index,
        "set_device_idx": set_index,
        "device_index": DeviceIndex,
        "synchronize": lambda device=None: torch.cuda.synchronize(device),
        "get_device_capability": lambda device=None: {"supported_dtypes": set()},
        "empty_host_cache": lambda: None,
        "Graph": refuse("a device graph"),
    }


def _accelerator_memory(sim: Simulation) -> dict[str, Any]:
    figures = memory_figures(sim)
    names = (
        "empty_cache max_memory_allocated max_memory_reserved memory_allocated memory_reserved "
        "memory_stats reset_peak_memory_stats reset_accumulated_memory_stats"
    )
    return {
        **{name: figures[name] for name in names.split()},
        "get_memory_info": lambda device=None: figures["mem_get_info"](device),
    }

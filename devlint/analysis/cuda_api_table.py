"""Functions of `torch.cuda` by what becomes of them without CUDA, and their twins for any accelerator.

Written by benchmarks/accelerator_table.py with torch 2.13.0 (without CUDA) and the wheels of
2.6 to 2.13; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CudaApi:
    """error: how a call ends without CUDA; empty where it does nothing. twin: dotted, since a version of torch."""

    error: str
    twin: str = ""
    since: tuple[int, int] = (0, 0)


CUDA_APIS: dict[str, CudaApi] = {
    "CUDAGraph": CudaApi("RuntimeError: Tried to instantiate dummy base class CUDAGraph"),
    "Event": CudaApi("RuntimeError: Tried to instantiate dummy base class Event", "torch.Event", (2, 6)),
    "MemPool": CudaApi("RuntimeError: Tried to instantiate dummy base class MemPool"),
    "Stream": CudaApi("RuntimeError: torch.cuda.Stream requires CUDA support", "torch.Stream", (2, 6)),
    "cudart": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "current_blas_handle": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "current_device": CudaApi(
        "AssertionError: Torch not compiled with CUDA enabled",
        "torch.accelerator.current_device_index",
        (2, 6),
    ),
    "current_solver_handle": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "current_stream": CudaApi(
        "AssertionError: Torch not compiled with CUDA enabled",
        "torch.accelerator.current_stream",
        (2, 6),
    ),
    "default_stream": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "device": CudaApi(
        "RuntimeError: PyTorch was compiled without CUDA support",
        "torch.accelerator.device_index",
        (2, 8),
    ),
    "empty_cache": CudaApi("", "torch.accelerator.empty_cache", (2, 9)),
    "get_allocator_backend": CudaApi("AttributeError: module 'torch._C' has no attribute '_cuda_getAllocatorBackend'"),
    "get_device_capability": CudaApi(
        "AssertionError: Torch not compiled with CUDA enabled",
        "torch.accelerator.get_device_capability",
        (2, 10),
    ),
    "get_device_name": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "get_device_properties": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "get_per_process_memory_fraction": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "get_rng_state": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "get_sync_debug_mode": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "graph_pool_handle": CudaApi("RuntimeError: Tried to instantiate dummy base class _graph_pool_handle"),
    "init": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "initial_seed": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "ipc_collect": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "is_current_stream_capturing": CudaApi(
        "RuntimeError: Tried to instantiate dummy base class _cuda_isCurrentStreamCapturing",
    ),
    "max_memory_allocated": CudaApi("", "torch.accelerator.max_memory_allocated", (2, 9)),
    "max_memory_reserved": CudaApi("", "torch.accelerator.max_memory_reserved", (2, 9)),
    "mem_get_info": CudaApi(
        "AssertionError: Torch not compiled with CUDA enabled",
        "torch.accelerator.get_memory_info",
        (2, 10),
    ),
    "memory_allocated": CudaApi("", "torch.accelerator.memory_allocated", (2, 9)),
    "memory_reserved": CudaApi("", "torch.accelerator.memory_reserved", (2, 9)),
    "memory_snapshot": CudaApi("AttributeError: module 'torch._C' has no attribute '_cuda_memorySnapshot'"),
    "memory_stats": CudaApi("", "torch.accelerator.memory_stats", (2, 9)),
    "memory_summary": CudaApi("KeyError: 'allocated_bytes.all.current'"),
    "nvtx.mark": CudaApi("RuntimeError: NVTX functions not installed."),
    "nvtx.range": CudaApi("RuntimeError: NVTX functions not installed."),
    "nvtx.range_pop": CudaApi("RuntimeError: NVTX functions not installed."),
    "nvtx.range_push": CudaApi("RuntimeError: NVTX functions not installed."),
    "reset_accumulated_host_memory_stats": CudaApi(
        "AttributeError: module 'torch._C' has no attribute '_cuda_resetAccumulatedHostMemoryStats'",
    ),
    "reset_accumulated_memory_stats": CudaApi(
        "AttributeError: module 'torch._C' has no attribute '_cuda_resetAccumulatedMemoryStats'",
        "torch.accelerator.reset_accumulated_memory_stats",
        (2, 9),
    ),
    "reset_max_memory_allocated": CudaApi(
        "AttributeError: module 'torch._C' has no attribute '_cuda_resetPeakMemoryStats'",
    ),
    "reset_max_memory_cached": CudaApi(
        "AttributeError: module 'torch._C' has no attribute '_cuda_resetPeakMemoryStats'",
    ),
    "reset_peak_host_memory_stats": CudaApi(
        "AttributeError: module 'torch._C' has no attribute '_cuda_resetPeakHostMemoryStats'",
    ),
    "reset_peak_memory_stats": CudaApi(
        "AttributeError: module 'torch._C' has no attribute '_cuda_resetPeakMemoryStats'",
        "torch.accelerator.reset_peak_memory_stats",
        (2, 9),
    ),
    "set_device": CudaApi(
        "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'",
        "torch.accelerator.set_device_index",
        (2, 6),
    ),
    "set_per_process_memory_fraction": CudaApi("AssertionError: Torch not compiled with CUDA enabled"),
    "synchronize": CudaApi(
        "AssertionError: Torch not compiled with CUDA enabled",
        "torch.accelerator.synchronize",
        (2, 6),
    ),
}

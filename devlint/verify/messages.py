"""Torch's own error texts, so that a user finds them on the web.

Sources, torch 2.13: c10/core/impl (common device check), aten/src/ATen/TensorIterator.cpp, and the file named beside
each text. Each function gives the text; who raises it decides the type.
"""

from __future__ import annotations

TWO_DEVICES = "Expected all tensors to be on the same device, but found at least two devices, {first} and {second}!"
"""aten/src/ATen/TensorIterator.cpp, compute_types."""

DIFFERENT_ARGUMENT = (
    "Expected all tensors to be on the same device, but got {argument} is on {device}, different from other tensors "
    "on {common} (when checking argument in method {method})"
)
"""aten/src/ATen/core/adaption.cpp, common_device_check_failure."""

CPU_SCALARS = "Trying to pass too many CPU scalars to non-CPU kernel!"
"""aten/src/ATen/TensorIterator.cpp, compute_types."""

INDICES = "indices should be either on cpu or on the same device as the indexed tensor ({device})"
"""aten/src/ATen/native/TensorAdvancedIndexingUtils.h."""

MASKED_FILL = "expected self and mask to be on the same device, but got mask on {mask} and self on {device}"
"""aten/src/ATen/native/cuda/Indexing.cu, masked_fill__cuda."""

CONVOLUTION = "Input type ({input}) and {argument} type ({parameter}) should be the same"
CONVOLUTION_HOST = CONVOLUTION + " or input should be a MKLDNN tensor and {argument} is a dense tensor"
"""aten/src/ATen/native/Convolution.cpp, check_input_same_type_as_parameters."""

GRID = (
    "grid_sampler(): expected input and grid to be on same device, but input is on {device} and grid is on {grid}"
)
"""aten/src/ATen/native/GridSamplerUtils.h."""

RNN = "Input and {other} tensors are not at the same device, found input tensor at {device} and {other} tensor at {found}"
"""aten/src/ATen/native/RNN.cpp, check_attributes."""

ATTENTION = (
    "Expected query, key, and value to have the same device type, but got query.device: {query} key.device: {key} "
    "and value.device: {value} instead."
)
"""aten/src/ATen/native/transformers/attention.cpp, validate_sdpa_input."""

LENGTHS = "'lengths' argument should be a 1D CPU int64 tensor, but got {dim}D {device} {dtype} tensor"
"""aten/src/ATen/native/PackedSequence.cpp."""

SPARSE = "device of indices ({indices}) must match device of values ({values})"
"""aten/src/ATen/native/sparse/SparseTensor.cpp."""

GROUPED = (
    "Tensors of the same index must be on the same device and the same dtype except `step` tensors that can be CPU "
    "and float32/64 notwithstanding"
)
"""torch/csrc/Module.cpp / aten/src/ATen/native/ForeachUtils.h, _group_tensors_by_first_tensors_device_and_dtype."""

GENERATOR = "Expected a '{wanted}' device type for generator but found '{found}'"
"""aten/src/ATen/core/Generator.h, check_generator."""

GENERATOR_RANDPERM = "Expected a '{wanted}' generator device but found '{found}'"
"""aten/src/ATen/native/TensorFactories.cpp, randperm."""

GENERATOR_STREAM = "Expected a '{wanted}' generator device but found '{found}'"

GRADIENT = "{function}invalid gradient at index {index} - expected device {wanted} but got {found}"
"""torch/csrc/autograd/engine.cpp, validate_outputs."""

ASSIGNED_GRADIENT = "assigned grad has data located on a different device"
"""torch/csrc/autograd/python_variable.cpp, THPVariable_set_grad."""

NUMPY = "can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
"""torch/csrc/utils/tensor_numpy.cpp."""

PIN = "cannot pin '{type}' only dense CPU tensors can be pinned"
"""aten/src/ATen/native/Memory.cpp."""

APPLY = "{name} is only implemented on CPU tensors"
"""torch/csrc/utils/tensor_apply.cpp."""

NOT_CUDA = "Invalid device, must be cuda device"
"""tools/autograd/templates/python_variable_methods.cpp, THPVariable_cuda."""

_ASYNCHRONOUS = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
ORDINAL = (
    "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?" + _ASYNCHRONOUS
)
DEVICE_ASSERT = "CUDA error: device-side assert triggered" + _ASYNCHRONOUS
"""c10/cuda/CUDAException.cpp."""

FORKED = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' "
    "start method"
)
"""torch/cuda/__init__.py, _lazy_init."""

OUT_OF_MEMORY = (
    "CUDA out of memory. Tried to allocate {wanted}. GPU {index} has a total capacity of {total} of which {free} is "
    "free. Of the allocated memory {allocated} is allocated by PyTorch, and 0 bytes is reserved by PyTorch but "
    "unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "
    "Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
)
"""c10/cuda/CUDACachingAllocator.cpp."""


def gibibytes(count: float) -> str:
    """A size as CUDA's allocator prints it: "320.00 GiB", "2.00 MiB"."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.2f} {unit}" if unit != "bytes" else f"{count:.0f} bytes"
        count /= 1024
    return f"{count:.2f} GiB"

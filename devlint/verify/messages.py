"""Torch's own error texts, so that a message seen here can be looked up on the web.

Read in ATen and c10 of torch 2.13; the name of the source file stands above each.
"""

from __future__ import annotations

_ASYNCHRONOUS = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
    "might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with "
    "`TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)

# c10/cuda/CUDAException.cpp
INVALID_ORDINAL = (
    "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?" + _ASYNCHRONOUS
)
DEVICE_ASSERT = "CUDA error: device-side assert triggered" + _ASYNCHRONOUS

# torch/cuda/__init__.py
BAD_FORK = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
    "'spawn' start method"
)

# aten/src/ATen/TensorIterator.cpp
AT_LEAST_TWO = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"

TOO_MANY_SCALARS = "Trying to pass too many CPU scalars to non-CPU kernel!"

# aten/src/ATen/core/adaption.cpp
DIFFERENT = (
    "Expected all tensors to be on the same device, but got {argument} is on {device}, different from other "
    "tensors on {common} (when checking argument in method {method})"
)

# aten/src/ATen/native/TensorAdvancedIndexing.cpp
INDICES = "indices should be either on cpu or on the same device as the indexed tensor ({})"
MASK = "expected self and mask to be on the same device, but got mask on {mask} and self on {base}"

# aten/src/ATen/native/Convolution.cpp
INPUT_AND_WEIGHT = "Input type ({input}) and weight type ({weight}) should be the same"
INPUT_AND_BIAS = "Input type ({input}) and bias type ({bias}) should be the same"

# aten/src/ATen/native/RNN.cpp
RNN = "Input and {what} tensors are not at the same device, found input tensor at {input} and {what} tensor at {other}"
LENGTHS = "'lengths' argument should be a 1D CPU int64 tensor, but got {dim}D {device} {kind} tensor"

# aten/src/ATen/native/transformers/attention.cpp
ATTENTION = (
    "Expected query, key, and value to have the same device type, but got query.device: {} key.device: {} "
    "and value.device: {} instead."
)

# aten/src/ATen/native/GridSamplerUtils.h
GRID = "grid_sampler(): expected input and grid to be on same device, but input is on {} and grid is on {}"

# aten/src/ATen/native/TensorShape.cpp
SECTIONS = "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on {}"

# aten/src/ATen/native/sparse/SparseTensor.cpp
SPARSE = "device of indices ({}) must match device of values ({})"

# aten/src/ATen/core/Generator.h, aten/src/ATen/native/TensorFactories.cpp
GENERATOR = "Expected a '{}' device type for generator but found '{}'"
PERMUTATION_GENERATOR = "Expected a '{}' generator device but found '{}'"

# torch/csrc/utils/tensor_numpy.cpp
NUMPY = "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."

# aten/src/ATen/native/Memory.cpp
PIN = "cannot pin '{}' only dense CPU tensors can be pinned"

# torch/csrc/autograd/engine.cpp
GRADIENT = "invalid gradient at index {} - expected device {} but got {}"

# torch/csrc/autograd/python_variable.cpp
ASSIGNED_GRAD = "assigned grad has data located on a different device"

# torch/csrc/utils/tensor_apply.cpp
HOST_ONLY = "{} is only implemented on CPU tensors"

# torch/serialization.py
LOAD = (
    "Attempting to deserialize object on CUDA device {} but torch.cuda.device_count() is {}. Please use "
    "torch.load with map_location to map your storages to an existing device."
)

# c10/cuda/CUDACachingAllocator.cpp
OUT_OF_MEMORY = (
    "CUDA out of memory. Tried to allocate {wanted}. GPU {index} has a total capacity of {total} "
    "of which {free} "
    "is free. Of the allocated memory {used} is allocated by PyTorch."
)

# torch/csrc/utils/tensor_new.cpp
LEGACY = "legacy constructor expects device type: {} but device type: {} was passed"


def size(count: float) -> str:
    """A byte count as CUDA's allocator writes it."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{count / scale:.2f} {unit}"
    return f"{count:.0f} bytes"

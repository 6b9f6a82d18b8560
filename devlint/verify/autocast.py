"""What `torch.autocast("cuda")` does to the arguments of an op, as a table.

Source: aten/src/ATen/autocast_mode.h, the lists for CUDA (AT_FORALL_LOWER_PRECISION_FP, AT_FORALL_FP32, ...).
The simulated device computes on the CPU, whose own autocast has other lists, so the casts are made here.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import torch

from devlint.verify.interception import HANDLERS, named
from devlint.verify.machine import Machine, fail, tensors_in


class Cast(Enum):
    """To the autocast type; to float32; to the widest type among the arguments; refused."""

    LOWER = "lower"
    FLOAT32 = "float32"
    WIDEST = "widest"
    REFUSED = "refused"


_NAMES = {
    Cast.LOWER: "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution "
    "_convolution prelu addmm addmv addr matmul __matmul__ __rmatmul__ einsum mm mv linalg_vecdot linalg_multi_dot "
    "linear addbmm baddbmm bmm chain_matmul scaled_dot_product_attention lstm gru rnn_tanh rnn_relu lstm_cell "
    "gru_cell rnn_tanh_cell rnn_relu_cell inner tensordot kron_matmul _native_multi_head_attention",
    Cast.FLOAT32: "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow __pow__ "
    "__rpow__ softplus layer_norm native_layer_norm group_norm frobenius_norm nuclear_norm cosine_similarity "
    "poisson_nll_loss cosine_embedding_loss nll_loss nll_loss_nd nll_loss2d hinge_embedding_loss kl_div l1_loss "
    "smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss "
    "triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp "
    "fft_fft fft_ifft fft_rfft fft_irfft stft istft upsample_nearest1d upsample_nearest2d upsample_nearest3d "
    "upsample_bilinear2d upsample_bicubic2d upsample_linear1d upsample_trilinear3d prod softmax log_softmax "
    "cumprod cumsum sum norm linalg_vector_norm linalg_matrix_norm cross_entropy_loss",
    Cast.WIDEST: "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put scatter_add cat stack",
    Cast.REFUSED: "binary_cross_entropy",
}


def _policy() -> dict[Any, Cast]:
    spaces = (torch, torch._C._VariableFunctions, torch.Tensor, torch._C._nn, torch.nn.functional, torch.linalg, torch._C._linalg, torch._C._fft)
    return {
        function: policy
        for policy, names in _NAMES.items()
        for space in spaces
        for function in named(space, names)
    }


POLICY: dict[Any, Cast] = _policy()
"""By torch function, in all its spellings: `torch.mm`, `Tensor.mm`, `Tensor.__matmul__`."""


def autocast(machine: Machine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An op of the lists: cast its arguments where autocast is on, then run it."""
    if torch.is_autocast_enabled("cuda"):
        args, kwargs = cast(machine, func, args, kwargs)
    frames = machine.thread.frames
    frames.append((args, kwargs))
    try:
        return func(*args, **kwargs)
    finally:
        frames.pop()


HANDLERS.update((function, autocast) for function in POLICY if function not in HANDLERS)


def cast(machine: Machine, func: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of `func` as autocast hands them on; those that are not on the device stay as they are."""
    tensors = [t for t in tensors_in(args, kwargs) if _eligible(machine, t)]
    if not tensors:
        return args, kwargs
    match POLICY[func]:
        case Cast.REFUSED:
            fail(_UNSAFE)
        case Cast.LOWER:
            dtype = torch.get_autocast_dtype("cuda")
        case Cast.WIDEST:
            dtype = torch.float32 if any(t.dtype is torch.float32 for t in tensors) else tensors[0].dtype
        case Cast.FLOAT32:
            if kwargs.get("dtype") is not None:
                return args, kwargs
            dtype = torch.float32
    with torch.autocast("cuda", enabled=False):
        return _mapped(machine, dtype, args), _mapped(machine, dtype, kwargs)


def _mapped(machine: Machine, dtype: torch.dtype, value: Any) -> Any:
    match value:
        case torch.Tensor():
            return torch._C.TensorBase.to(value, dtype) if _eligible(machine, value) else value
        case list() | tuple() if type(value) in (list, tuple):
            return type(value)(_mapped(machine, dtype, item) for item in value)
        case dict():
            return {key: _mapped(machine, dtype, item) for key, item in value.items()}
    return value


def _eligible(machine: Machine, tensor: torch.Tensor) -> bool:
    return (
        tensor.is_floating_point()
        and tensor.dtype is not torch.float64
        and machine.ledger.device_of(tensor).type == "cuda"
    )


_UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)

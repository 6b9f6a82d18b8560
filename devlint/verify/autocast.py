"""`torch.autocast("cuda")` over host arithmetic.

The C++ half of autocast looks at the real device. For the time of one call on device tensors the host's
autocast is
switched to the setting of CUDA's; what CUDA runs in float32 and the host does not is cast here.
"""

from __future__ import annotations

from typing import Any

import torch

from devlint.verify.simulation import tensors_in

FLOAT32 = """
    __pow__ __rdiv__ __rpow__ __rtruediv__ acos asin binary_cross_entropy_with_logits cosh
    cosine_embedding_loss cdist cosine_similarity cumprod cumsum dist div_ erfinv exp expm1
    group_norm hinge_embedding_loss huber_loss kl_div l1_loss layer_norm log log10 log_softmax log1p
    log2 logsumexp margin_ranking_loss mse_loss multilabel_margin_loss multi_margin_loss nll_loss
    nll_loss2d nll_loss_nd norm nuclear_norm pdist poisson_nll_loss pow prod reciprocal renorm rsqrt
    sinh smooth_l1_loss soft_margin_loss softmax softmin softplus sum tan triplet_margin_loss
    cross_entropy_loss
"""
"""Runs in float32 (https://docs.pytorch.org/docs/stable/amp.html#cuda-ops-that-can-autocast-to-float32)."""

_FLOAT32 = frozenset(FLOAT32.split()) - {"div_"}
_RECURRENT = frozenset(("lstm", "gru", "rnn_tanh", "rnn_relu"))
"""oneDNN has no recurrent layers in float16; torch's own have."""
_BANNED = "binary_cross_entropy"
_REFUSED = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)


def active() -> bool:
    """Whether any autocast is on, for CUDA or for the host."""
    return torch._C._is_any_autocast_enabled()


def call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], on_device: bool) -> Any:
    """The call under the autocast that holds for its side."""
    enabled, host = torch.is_autocast_enabled("cuda"), torch.is_autocast_enabled("cpu")
    if not on_device:
        return func(*args, **kwargs)
    name = getattr(func, "__name__", "")
    if enabled and name == _BANNED:
        raise RuntimeError(_REFUSED)
    if enabled and name in _FLOAT32 and "dtype" not in kwargs:
        args, kwargs = _widened(args), {key: _widened((value,))[0] for key, value in kwargs.items()}
    kept, onednn = torch.get_autocast_dtype("cpu"), torch._C._get_mkldnn_enabled()
    torch.set_autocast_enabled("cpu", enabled)
    torch.set_autocast_dtype("cpu", torch.get_autocast_dtype("cuda"))
    if enabled and name in _RECURRENT:
        torch._C._set_mkldnn_enabled(False)
        args = tuple(_narrowed(value) for value in args)
    try:
        return func(*args, **kwargs)
    finally:
        torch.set_autocast_enabled("cpu", host)
        torch.set_autocast_dtype("cpu", kept)
        torch._C._set_mkldnn_enabled(onednn)


def _widened(values: tuple[Any, ...]) -> tuple[Any, ...]:
    half = (torch.float16, torch.bfloat16)
    return tuple(
        value.float() if isinstance(value, torch.Tensor) and value.dtype in half else value for value in values
    )


def _narrowed(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_narrowed(item) for item in value]
    if isinstance(value, torch.Tensor) and value.dtype is torch.float32:
        return value.to(torch.get_autocast_dtype("cuda"))
    return value


def on_device(ledger: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the call works on device tensors."""
    return any(ledger.device(tensor).type == "cuda" for tensor in tensors_in(args, kwargs))

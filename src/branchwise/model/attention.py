"""Attention as this model needs it: two small functions, each registered once under a name of our own.

The decoder's self-attention lays its probabilities open. SDPA gives none, and the stock eager function gives
them after dropout; the mask loss needs them before. Cross-attention of the same decoder goes back to SDPA,
unless an explanation asks for its probabilities too.

The encoder runs SDPA. Its position bias and padding mask, which all layers share, become one tensor once a
batch, where transformers makes it anew in every layer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import eager_mask, sdpa_mask

OPEN = "branchwise_open"
SHARED = "branchwise_shared"


def open_attention(
    module: torch.nn.Module,
    query: torch.Tensor,  # [B, H, Q, D]
    key: torch.Tensor,  # [B, H, S, D]
    value: torch.Tensor,  # [B, H, S, D]
    attention_mask: torch.Tensor | None,  # added to the scores, broadcast to [B, H, Q, S]
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: torch.Tensor | None = None,  # [1, H, Q, S]
    probabilities: list[torch.Tensor] | None = None,
    cross_probabilities: list[torch.Tensor] | None = None,
    **others: Any,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attend, and append [B, H, Q, S] in fp32 to the list that self-attention or cross-attention is given."""
    is_cross = not module.is_causal  # in a T5 decoder the causal attention is its self-attention
    kept = cross_probabilities if is_cross else probabilities
    if is_cross and kept is None:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, position_bias=position_bias, **others
        )
    scores = torch.matmul(query, key.transpose(2, 3)) * (1.0 if scaling is None else scaling)
    if position_bias is not None:
        scores = scores + position_bias
    if attention_mask is not None:
        scores = scores + attention_mask
    shares = functional.softmax(at_least_fp32(scores), dim=-1)  # bf16 rows would not sum to one
    if kept is not None:
        kept.append(shares)
    used = functional.dropout(shares.to(value.dtype), p=dropout, training=module.training)
    return torch.matmul(used, value).transpose(1, 2).contiguous(), None


def shared_attention(
    module: torch.nn.Module,
    query: torch.Tensor,  # [B, H, S, D]
    key: torch.Tensor,  # [B, H, S, D]
    value: torch.Tensor,  # [B, H, S, D]
    attention_mask: torch.Tensor | None,  # bool, broadcast to [B, H, S, S]
    position_bias: torch.Tensor | None = None,  # [1, H, S, S]
    shared: dict[str, torch.Tensor] | None = None,
    **others: Any,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attend by SDPA; ``shared``, an empty dict at first, hands bias and mask from layer to layer as one."""
    if shared is None:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, position_bias=position_bias, **others
        )
    if "bias" not in shared and position_bias is not None:
        bias = position_bias.to(query.dtype)
        if attention_mask is not None:
            bias = torch.where(attention_mask, bias, torch.finfo(query.dtype).min)
        shared["bias"] = bias.contiguous()
    with _quick_backward(query):
        return sdpa_attention_forward(module, query, key, value, shared.get("bias"), **others)


@contextlib.contextmanager
def _quick_backward(query: torch.Tensor) -> Iterator[None]:
    """Choose SDPA's plain kernel for training on a CPU: its backward pass is several times the fused one's."""
    if query.device.type != "cpu" or not torch.is_grad_enabled():
        yield
        return
    half = torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()  # rules the CPU's kernel as well
    torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(True)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(half)


def open_decoder(decoder: PreTrainedModel) -> None:
    """Route the attention of a decoder stack, and of it alone, through :func:`open_attention`."""
    AttentionInterface.register(OPEN, open_attention)
    AttentionMaskInterface.register(OPEN, eager_mask)
    decoder.set_attn_implementation(OPEN)


def share_bias(encoder: PreTrainedModel) -> None:
    """Route the attention of an encoder stack through :func:`shared_attention`."""
    AttentionInterface.register(SHARED, shared_attention)
    AttentionMaskInterface.register(SHARED, sdpa_mask)
    encoder.set_attn_implementation(SHARED)


def at_least_fp32(values: torch.Tensor) -> torch.Tensor:
    """Return half-precision values as fp32, and all others as they are."""
    return values.to(torch.promote_types(values.dtype, torch.float32))

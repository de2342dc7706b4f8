"""The decoder's self-attention with its probabilities laid open, registered once under a name of our own.

SDPA gives no probabilities, and the stock eager function gives them after dropout; the mask loss needs them
before. Cross-attention of the same decoder goes back to SDPA, and the encoder never comes here.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import eager_mask

NAME = "branchwise_open"


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
    **others: Any,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attend; where self-attention is given a list ``probabilities``, append [B, H, Q, S] in fp32 to it."""
    if not module.is_causal:  # cross-attention: in a T5 decoder the causal attention is its self-attention
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, position_bias=position_bias, **others
        )
    scores = torch.matmul(query, key.transpose(2, 3)) * (1.0 if scaling is None else scaling)
    if position_bias is not None:
        scores = scores + position_bias
    if attention_mask is not None:
        scores = scores + attention_mask
    shares = functional.softmax(at_least_fp32(scores), dim=-1)  # bf16 rows would not sum to one
    if probabilities is not None:
        probabilities.append(shares)
    used = functional.dropout(shares.to(value.dtype), p=dropout, training=module.training)
    return torch.matmul(used, value).transpose(1, 2).contiguous(), None


def open_decoder(decoder: PreTrainedModel) -> None:
    """Route the attention of a decoder stack, and of it alone, through :func:`open_attention`."""
    AttentionInterface.register(NAME, open_attention)
    AttentionMaskInterface.register(NAME, eager_mask)
    decoder.set_attn_implementation(NAME)


def at_least_fp32(values: torch.Tensor) -> torch.Tensor:
    """Return half-precision values as fp32, and all others as they are."""
    return values.to(torch.promote_types(values.dtype, torch.float32))

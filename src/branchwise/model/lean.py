"""T5's layers in fewer passes over memory: the same functions of the same parameters, written for autocast.

Where products run in bf16, the stock feed-forward layer goes to fp32 and back before its last one, its GELU
takes eight passes, and its norm leaves fp32 that each of the next products casts anew.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers.activations import NewGELUActivation


class LeanNorm(nn.Module):
    """The root-mean-square norm, in one kernel, cast once for all the products that follow it."""

    def __init__(self, weight: nn.Parameter, epsilon: float) -> None:
        super().__init__()
        self.weight = weight
        self.epsilon = epsilon

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the norm of [B, S, D]."""
        normed = functional.rms_norm(hidden, self.weight.shape, self.weight, self.epsilon)
        device = hidden.device.type
        return normed.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else normed


class LeanFeedForward(nn.Module):
    """The feed-forward layer, gated (``wi_0`` and ``wi_1``) or plain (``wi``), in the products' own precision."""

    wi: nn.Module
    wi_0: nn.Module
    wi_1: nn.Module
    wo: nn.Module
    dropout: nn.Module

    def __init__(self, stock: Any) -> None:
        super().__init__()
        for name, layer in stock.named_children():
            self.add_module(name, layer)
        self.act = nn.GELU(approximate="tanh") if isinstance(stock.act, NewGELUActivation) else stock.act
        self.gated = hasattr(stock, "wi_0")

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the layer's output for [B, S, D]."""
        inner = self.act(self.wi_0(hidden)) * self.wi_1(hidden) if self.gated else self.act(self.wi(hidden))
        return self.wo(self.dropout(inner))


def make_lean(stack: nn.Module) -> None:
    """Replace the norms and feed-forward layers of an encoder or decoder; parameters keep their names."""
    for module in list(stack.modules()):
        child: Any  # one of transformers' layers
        for name, child in list(module.named_children()):
            if hasattr(child, "variance_epsilon"):
                setattr(module, name, LeanNorm(child.weight, child.variance_epsilon))
            elif hasattr(child, "wo") and hasattr(child, "act"):
                setattr(module, name, LeanFeedForward(child))

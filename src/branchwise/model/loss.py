"""The loss, CE + ρ · PAMM, as sums first and averages last, so that devices and accumulation can share them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional

from branchwise.model.attention import at_least_fp32
from branchwise.model.config import ModelConfig

IGNORED = -100  # a target that is padding


@dataclass(frozen=True)
class Counts:
    """What the sums are divided by; over all devices and accumulated batches of a step."""

    targets: float  # real target symbols
    rows: float  # rows that carry the mask loss
    documents: float


def cross_entropy_sum(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Sum the cross-entropy over the real targets: logits [B, T, V], targets [B, T]."""
    return functional.cross_entropy(
        at_least_fp32(logits).flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum"
    )


def loss_rows(targets: torch.Tensor) -> torch.Tensor:
    """Return which rows carry the mask loss, [B, T] bool: all real ones but the last, which ends."""
    real = targets != IGNORED
    lengths = real.sum(1, keepdim=True)
    return torch.arange(targets.shape[1], device=targets.device) < lengths - 1


def mask_loss_sum(
    probabilities: list[torch.Tensor], path_mask: torch.Tensor, targets: torch.Tensor
) -> torch.Tensor:
    """Sum what each row looks at outside its mask: over layers and rows, mean over heads.

    Parameters
    ----------
    probabilities
        One tensor a layer, [B, H, T, T], before dropout.
    path_mask
        What each row may look at, [B, T, T] bool.
    targets
        The targets, [B, T], which say which rows count.
    """
    rows = loss_rows(targets)
    total = probabilities[0].new_zeros(())
    for shares in probabilities:
        inside = (shares.mean(1) * path_mask).sum(-1)  # [B, T], the mean over heads
        total = total + (1.0 - inside)[rows].sum()
    return total


def count(targets: torch.Tensor) -> torch.Tensor:
    """Return a batch's counts as one tensor, which devices can add up: targets, rows, documents."""
    real = (targets != IGNORED).sum()
    return torch.stack([real, loss_rows(targets).sum(), real.new_tensor(len(targets))])


def mask_divisor(config: ModelConfig, counts: Counts) -> float:
    """Return what the sum of the mask loss is divided by in the chosen reduction."""
    if config.reduction == "mean":
        return max(counts.rows, 1.0)
    if config.reduction == "padded":
        return counts.documents * config.output_limit
    return counts.documents


def total_loss(
    cross_entropy: torch.Tensor, mask_loss: torch.Tensor, config: ModelConfig, counts: Counts
) -> torch.Tensor:
    """Return CE + ρ · PAMM from their sums."""
    average = cross_entropy / counts.targets
    if config.mask_weight == 0.0:
        return average
    return average + config.mask_weight * mask_loss / mask_divisor(config, counts)

"""Which symbol may follow: a sequence stays the beginning of some label set's canonical sequence.

A pure function of arrays. Per row it needs the labels emitted so far and the last symbol; the labels that
may come are found by one gather, ``emitted[:, parent]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch

from branchwise.choices import Variant
from branchwise.sequence.symbols import Symbols
from branchwise.taxonomy import Taxonomy


@dataclass(frozen=True)
class Grammar:
    """The tree on the device, and what kind of sequences are meant."""

    symbols: Symbols
    parent: torch.Tensor  # [K] int64, K for the root
    level: torch.Tensor  # [K] int64
    flat: bool  # the t5 variant: valid labels in any order, no repeats
    may_be_empty: bool

    @classmethod
    def of(cls, tree: Taxonomy, variant: Variant, device: torch.device, may_be_empty: bool = False) -> Self:
        """Put a tree's grammar on a device."""
        parent = torch.as_tensor(tree.parent, dtype=torch.int64, device=device)
        level = torch.as_tensor(tree.level, dtype=torch.int64, device=device)
        root = len(tree)
        return cls(
            Symbols(len(tree)), torch.where(parent < 0, root, parent), level, variant == "t5", may_be_empty
        )

    def admissible(self, emitted: torch.Tensor, last_label: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        """Say which symbols may follow.

        Parameters
        ----------
        emitted
            [B, K + 1] bool, the labels written so far; the last column is the root and always true.
        last_label
            [B] the label written last, -1 at the start.
        last
            [B] the symbol written last.

        Returns
        -------
        allowed
            [B, K + 4] bool.
        """
        known = self.symbols
        n_labels = known.n_labels
        started = last_label >= 0  # [B]
        label = last_label.clamp(min=0)
        if self.flat:
            candidates = ~emitted[:, :-1]  # [B, K]
            more = candidates.any(1)
            deeper = torch.zeros_like(started)
        else:
            open_labels = emitted[:, self.parent]  # [B, K] the parent is written
            here = torch.where(started, self.level[label], 1)  # [B] the level being written
            same = open_labels & (self.level == here[:, None])
            same &= torch.arange(n_labels, device=last.device) > last_label[:, None]
            below = open_labels & (self.level == here[:, None] + 1)
            more, deeper = same.any(1), below.any(1)
            candidates = torch.where((last == known.below)[:, None], below, same)
        after_label = last < n_labels  # [B]
        allowed = torch.zeros(len(last), len(known), dtype=torch.bool, device=last.device)
        allowed[:, :n_labels] = candidates & ~after_label[:, None]
        allowed[:, known.between] = after_label & more
        allowed[:, known.below] = after_label & deeper
        allowed[:, known.end] = after_label | (~started & self.may_be_empty)
        return allowed

"""What a rival's network is: it answers a batch of documents with margins, and says how wrong it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from branchwise.rivals.neural.vocabulary import PADDING, Documents
from branchwise.taxonomy import Taxonomy

SURE = 1e-4  # no label is taken to be rarer or more frequent than this when a network begins


@dataclass(frozen=True, eq=False)
class Batch:
    """Some documents, padded to the longest of them."""

    words: Tensor  # [B, T] int64
    lengths: Tensor  # [B] int64, 1 or more

    @classmethod
    def of(cls, documents: Documents, rows: np.ndarray, device: torch.device) -> Batch:
        """Return the documents of the given rows."""
        words, lengths = documents.padded(rows), documents.lengths[rows]
        return cls(torch.from_numpy(words).to(device), torch.from_numpy(lengths).to(device))

    @property
    def real(self) -> Tensor:
        """What is not padding, [B, T] bool."""
        return up_to(self.lengths, self.words.shape[1])


class Network(nn.Module):
    """Word vectors, and a way from them to the margins of K labels; the rivals' networks derive from it.

    Parameters
    ----------
    tree
        The tree of labels.
    settings
        Those of the rival.
    vectors
        To begin with, [V, D].
    shares
        Which share of the training documents has each label, [K].
    """

    def __init__(self, tree: Taxonomy, settings: Any, vectors: Tensor, shares: Tensor) -> None:
        super().__init__()
        self.tree, self.settings = tree, settings
        self.words = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=PADDING)
        self.dropout = nn.Dropout(settings.dropout)
        self.shares: Tensor
        self.register_buffer("shares", shares)

    def forward(self, batch: Batch) -> Tensor:
        """Return the margins, [B, K], whose sigmoid is the chance of a label."""
        raise NotImplementedError

    def loss(self, batch: Batch, truth: Tensor) -> Tensor:
        """Return how wrong the margins are; ``truth`` [B, K] holds 0 and 1."""
        return functional.binary_cross_entropy_with_logits(self(batch), truth)

    def answer(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the margins, [B, K], and which labels are decided for, [B, K] bool."""
        margins = self(batch)
        return margins, margins > 0

    def classifier(self, width: int, labels: slice = slice(None)) -> nn.Linear:
        """Return a layer from features to margins, which begins with how frequent the labels are."""
        shares = self.shares[labels].clamp(SURE, 1 - SURE)
        layer = nn.Linear(width, len(shares))
        with torch.no_grad():
            layer.bias.copy_(shares.logit())
        return layer


def up_to(lengths: Tensor, size: int) -> Tensor:
    """Return which of ``size`` places lie within each length: [..., size] bool."""
    return torch.arange(size, device=lengths.device) < lengths[..., None]

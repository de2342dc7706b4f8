"""Small neural rivals, and networks without a corpus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from branchwise import Taxonomy
from branchwise.rivals import rival, rivals
from branchwise.rivals.neural.network import Batch
from branchwise.rivals.neural.vocabulary import FIRST_WORD, Documents

each = pytest.mark.parametrize("name", rivals("neural"))
TINY: dict[str, dict[str, Any]] = {
    "textcnn": {"filters": 12, "narrowest": 1, "widest": 2},
    "bow-cnn": {"region": 3, "parts": 2},
    "han": {"hidden": 8},
    "hmcn": {"filters": 12, "narrowest": 1, "widest": 2, "hidden": 16},
    "hiagm": {"filters": 12, "hidden": 8, "features": 12},
    "sgm": {"hidden": 8, "beam": 2},
}
"""Settings with which a rival learns a small corpus in about a second."""


def tiny(name: str, tree: Taxonomy, **settings: Any) -> Any:
    """Return an untrained rival that is small and learns fast."""
    small = {"width": 16, "rate": 0.02, "dropout": 0.1, "batch": 16, "epochs": 4, "device": "cpu"}
    return rival(name)(tree, **(small | TINY[name] | settings))


def network(
    name: str, tree: Taxonomy, shares: list[float] | None = None, words: int = 30, **settings: Any
) -> Any:
    """Return a network of random weights that never leaves values out."""
    system = tiny(name, tree, **settings)
    torch.manual_seed(0)
    vectors = torch.randn(FIRST_WORD + words, system.settings.width)
    vectors[0] = 0
    given = torch.tensor(shares) if shares else torch.full((len(tree),), 0.3)
    return system.Network(tree, system.settings, vectors, given).eval()


def documents(*lists: list[int]) -> Documents:
    """Return documents of the given word numbers."""
    offsets = np.cumsum([0, *map(len, lists)])
    return Documents(offsets.astype(np.int64), np.concatenate(lists).astype(np.int32))


def batch(*lists: list[int]) -> Batch:
    """Return one batch of documents of the given word numbers."""
    return Batch.of(documents(*lists), np.arange(len(lists)), torch.device("cpu"))

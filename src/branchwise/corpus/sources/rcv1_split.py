"""Which part of RCV1-V2 a document belongs to: LYRL2004's split by item id, and our choice for validation."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

TRAINING = range(2286, 26151)  # item ids
PAPER_TRAINING, PAPER_VALIDATION = 23_149, 2_316  # documents before and after the paper's own split
SEED = 0


def is_training(number: int) -> bool:
    """Say whether a document is one of the first, which LYRL2004 trains on."""
    return number < TRAINING.stop


def validation_of(numbers: Collection[int]) -> frozenset[int]:
    """Choose the validation documents among the training ones by item id.

    Every id has a key of its own, so neither the order of reading nor a missing document moves the others.
    """
    ids = np.array(sorted(numbers), np.int64)
    keys = np.random.PCG64(SEED).random_raw(TRAINING.stop)
    size = min(-(-len(ids) * PAPER_VALIDATION // PAPER_TRAINING), max(len(ids) - 1, 0))
    chosen = ids[np.argsort(keys[ids], kind="stable")[:size]]
    return frozenset(chosen.tolist())

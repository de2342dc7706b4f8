"""The order in which a set's labels are written: canonical, or for the ``t5`` variant one at random."""

from __future__ import annotations

import numpy as np

from branchwise.taxonomy import LabelSets


def random_order(
    sets: LabelSets, seed: int, documents: np.ndarray | None = None, epoch: int = 0
) -> np.ndarray:
    """Return the entries of ``sets.labels`` shuffled within each set, [total] int32.

    The order of a set depends on the seed, the epoch and its document's number alone, not on its batch.

    Parameters
    ----------
    sets
        The label sets of a batch.
    seed
        Fixes every order.
    documents
        The number of each set's document in its corpus, [N]; the rows themselves where absent.
    epoch
        Counted up for a new order each time; 0 for one order that stays.
    """
    numbers = np.arange(len(sets)) if documents is None else np.asarray(documents)
    key = _scramble(np.full(len(sets), seed, np.uint64) + np.full(len(sets), epoch, np.uint64) * _ODD)
    key = _scramble(key ^ numbers.astype(np.uint64))
    key = _scramble(np.repeat(key, sets.sizes) ^ sets.labels.astype(np.uint64))
    return sets.labels[np.lexsort((key, sets.rows))]


_ODD = np.uint64(0x9E3779B97F4A7C15)


def _scramble(value: np.ndarray) -> np.ndarray:
    """Mix the bits of 64-bit integers (the finaliser of SplitMix64), so that near inputs give far outputs."""
    value = value + _ODD
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))

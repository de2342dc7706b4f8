"""A batch of label sets written as sequences: the one shape that both label units produce."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from branchwise.choices import OnLong
from branchwise.errors import SequenceError
from branchwise.taxonomy import LabelSets


@dataclass(frozen=True, eq=False)
class Encoded:
    """B target sequences, padded to the longest; decoder input i is the start, or target i - 1."""

    targets: np.ndarray  # [B, T] int32, symbols or word pieces, padded with the end symbol
    lengths: np.ndarray  # [B] int64, real targets of each row, the end symbol included
    symbol: (
        np.ndarray
    )  # which symbol of the sequence each target belongs to: [T] where all rows agree, or [B, T]
    sets: LabelSets  # the label sets that were written, in canonical order

    @property
    def real(self) -> np.ndarray:
        """Which targets are real, [B, T] bool."""
        return np.arange(self.targets.shape[1]) < self.lengths[:, None]


def fit(
    sets: LabelSets, cost: np.ndarray, limit: int, on_long: OnLong = "error"
) -> tuple[LabelSets, np.ndarray]:
    """Make every set's sequence fit into ``limit`` targets.

    Labels go from the end of the canonical order, hence whole and from the deepest level, and what stays is
    closed upwards.

    Parameters
    ----------
    sets
        Closed label sets.
    cost
        Targets that each entry of ``sets.labels`` takes, with the separator or end symbol after it, [total].
    limit
        The most targets a sequence may have.
    on_long
        ``error`` raises where a sequence is longer; ``drop`` drops labels.

    Returns
    -------
    fitted
        The sets that fit.
    long
        Which documents lost labels, [N] bool.
    """
    if on_long not in get_args(OnLong):
        raise SequenceError(f"on_long is {on_long!r}: choose one of {', '.join(get_args(OnLong))}.")
    total = np.concatenate([[0], np.cumsum(cost)])
    used = total[1:] - np.repeat(total[sets.offsets[:-1]], sets.sizes)
    fits = used <= limit
    if fits.all():
        return sets, np.zeros(len(sets), bool)
    long = np.zeros(len(sets), bool)
    long[sets.rows[~fits]] = True
    if on_long == "error":
        raise SequenceError(
            f"{int(long.sum())} of {len(sets)} label sets need more than the {limit} output symbols allowed, the "
            f"longest {int(used.max())} (the first is number {int(np.flatnonzero(long)[0]) + 1}): allow more, or "
            "choose to drop whole labels from the deepest level."
        )
    return sets.select(fits), long

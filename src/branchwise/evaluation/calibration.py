"""Whether scores are probabilities: expected calibration error, Brier score, and the bins behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwise.evaluation.scores import Scores, blocks, true_scores
from branchwise.taxonomy import LabelSets

BINS = 15


@dataclass(frozen=True)
class ReliabilityBin:
    """The document–label pairs whose score lies from ``low`` up to ``high``."""

    low: float
    high: float
    """Not in the bin, except for 1 in the last."""
    pairs: int
    mean_score: float | None
    """None in a bin without pairs."""
    share_true: float | None


@dataclass(frozen=True)
class Calibration:
    """Over all document–label pairs, those of score 0 included."""

    expected_calibration_error: float
    """Mean over the pairs of how far their bin's mean score is from its share of true pairs."""
    brier: float
    """Mean squared difference between score and truth."""
    bins: tuple[ReliabilityBin, ...]


def calibrate(scores: Scores, truth: LabelSets, n_bins: int = BINS) -> Calibration:
    """Compare checked scores with the truth in ``n_bins`` bins of equal width."""
    pairs = np.zeros(n_bins, np.int64)
    true = np.zeros(n_bins, np.int64)
    score = np.zeros(n_bins)
    squares = products = 0.0  # of scores; of scores and truth
    for part, labels in blocks(scores, truth):
        values = np.asarray(part.reshape(-1) if isinstance(part, np.ndarray) else part.data, np.float64)
        bins = _bin(values, n_bins)
        pairs += np.bincount(bins, minlength=n_bins)
        score += np.bincount(bins, values, n_bins)
        squares += float(values @ values)
        own = true_scores(part, labels)
        true += np.bincount(_bin(own, n_bins), minlength=n_bins)
        products += float(own.sum())
    total = len(truth) * scores.shape[1]
    pairs[0] += total - pairs.sum()  # what a sparse matrix does not store scores 0
    return Calibration(
        expected_calibration_error=float(np.abs(score - true).sum()) / total,
        brier=(squares - 2 * products + len(truth.labels)) / total,
        bins=tuple(
            ReliabilityBin(
                low=index / n_bins,
                high=(index + 1) / n_bins,
                pairs=int(pairs[index]),
                mean_score=float(score[index] / pairs[index]) if pairs[index] else None,
                share_true=float(true[index] / pairs[index]) if pairs[index] else None,
            )
            for index in range(n_bins)
        ),
    )


def _bin(values: np.ndarray, n_bins: int) -> np.ndarray:
    return np.minimum((values * n_bins).astype(np.int64), n_bins - 1)

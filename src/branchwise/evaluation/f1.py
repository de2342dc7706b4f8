"""Precision, recall and F1 from counts, averaged in the ways that papers average them.

Everything works on the last axis, so that the bootstrap runs the same lines on a thousand resamples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwise.evaluation.counts import Counts, ratio
from branchwise.taxonomy import Taxonomy


def precision(counts: Counts) -> np.ndarray:
    """Share of the predicted that is true, [..., K]."""
    return ratio(counts.hits, counts.predicted)


def recall(counts: Counts) -> np.ndarray:
    """Share of the true that was predicted, [..., K]."""
    return ratio(counts.hits, counts.true)


def f1(counts: Counts, empty: float = 0.0) -> np.ndarray:
    """Harmonic mean of precision and recall, [..., K]; ``empty`` where nothing is true or predicted."""
    return ratio(2 * counts.hits, counts.predicted + counts.true, empty)


def micro_f1(counts: Counts) -> np.ndarray:
    """F1 of all decisions thrown together, [...]."""
    return f1(counts.total())[..., 0]


def macro_f1(counts: Counts, *, supported_only: bool = False) -> np.ndarray:
    """Mean F1 over all labels, or over those that are true somewhere, [...]."""
    return _average(f1(counts), counts.supported if supported_only else np.ones_like(counts.supported))


def weighted_f1(counts: Counts) -> np.ndarray:
    """Mean F1 of the labels, each weighted by how often it is true, [...]."""
    return _average(f1(counts), counts.true)


def _average(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return ratio((values * weights).sum(axis=-1), weights.sum(axis=-1))


def document_f1(counts: Counts) -> float:
    """Mean F1 of the documents, from counts per document."""
    return float(f1(counts, empty=1.0).mean())


def is_exact(counts: Counts) -> np.ndarray:
    """Say of every document whether its predicted set is the true one, from counts per document, [N] bool."""
    return (counts.hits == counts.predicted) & (counts.hits == counts.true)


@dataclass(frozen=True)
class LevelScores:
    """F1 over the labels of one level."""

    level: int
    labels: int
    supported_labels: int
    """How many of the labels are true of at least one document; the rest have an F1 of 0."""
    micro_f1: float
    macro_f1_all: float
    macro_f1_supported: float


def level_scores(tree: Taxonomy, counts: Counts) -> tuple[LevelScores, ...]:
    """Return the scores of every level, from counts per label."""
    levels = []
    for level in range(1, tree.depth + 1):
        own = counts.part(int(tree.level_start[level - 1]), int(tree.level_start[level]))
        levels.append(
            LevelScores(
                level=level,
                labels=len(own.true),
                supported_labels=int(own.supported.sum()),
                micro_f1=float(micro_f1(own)),
                macro_f1_all=float(macro_f1(own)),
                macro_f1_supported=float(macro_f1(own, supported_only=True)),
            )
        )
    return tuple(levels)


@dataclass(frozen=True)
class LabelScores:
    """How one label fared."""

    id: str
    name: str
    level: int
    support: int
    """Number of documents the label is true of."""
    predicted: int
    """Number of documents the label was predicted for."""
    precision: float
    recall: float
    f1: float


def label_scores(tree: Taxonomy, counts: Counts) -> tuple[LabelScores, ...]:
    """Return the scores of every label in canonical order, from counts per label."""
    columns = (counts.true, counts.predicted, precision(counts), recall(counts), f1(counts))
    rows = zip(tree.ids, tree.names, tree.level.tolist(), *(one.tolist() for one in columns), strict=True)
    return tuple(LabelScores(*row) for row in rows)

"""Hits, predictions and truths counted per label or per document: what every F1 is made of.

The one convention on empty denominators lives here too, in :func:`ratio`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwise.taxonomy import LabelSets


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each label or document (on the last axis) was rightly predicted, predicted, and true."""

    hits: np.ndarray  # [..., K] true positives
    predicted: np.ndarray  # [..., K]
    true: np.ndarray  # [..., K]

    @property
    def false_positives(self) -> np.ndarray:
        """Predicted but not true, [..., K]."""
        return self.predicted - self.hits

    @property
    def false_negatives(self) -> np.ndarray:
        """True but not predicted, [..., K]."""
        return self.true - self.hits

    @property
    def supported(self) -> np.ndarray:
        """Whether a thing is true at all, [..., K] bool."""
        return self.true > 0

    def part(self, start: int, stop: int) -> Counts:
        """Return the counts of the labels from ``start`` up to ``stop``: those of one level, for example."""
        return Counts(*(one[..., start:stop] for one in (self.hits, self.predicted, self.true)))

    def total(self) -> Counts:
        """Return the counts summed over the last axis, which is kept with length 1."""
        return Counts(*(one.sum(axis=-1, keepdims=True) for one in (self.hits, self.predicted, self.true)))


def intersection(sets: LabelSets, others: LabelSets) -> LabelSets:
    """Return of every set the labels that stand in the other set of the same row too."""
    return sets.select(np.isin(sets.keys, others.keys, assume_unique=True))


def per_label(truth: LabelSets, predicted: LabelSets, n_labels: int) -> Counts:
    """Count over all documents, for each label."""
    hits = intersection(predicted, truth)
    return Counts(hits.counts(n_labels), predicted.counts(n_labels), truth.counts(n_labels))


def per_document(truth: LabelSets, predicted: LabelSets) -> Counts:
    """Count over all labels, for each document."""
    return Counts(intersection(predicted, truth).sizes, predicted.sizes, truth.sizes)


def ratio(numerator: np.ndarray, denominator: np.ndarray, empty: float = 0.0) -> np.ndarray:
    """Divide, with ``empty`` where there is nothing to divide by.

    Two conventions follow, and no others are in use. A label that is neither true nor predicted anywhere has
    precision, recall and F1 of 0, as has an average over no labels. A document that has no label and was
    given none has an F1 of 1 (``empty=1``): nothing was there and nothing was claimed.
    """
    result = np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), empty, dtype=np.float64)
    return np.divide(numerator, denominator, out=result, where=np.asarray(denominator) != 0)

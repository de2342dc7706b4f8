"""Margins as probabilities, by a logistic map for every label (Platt 1999), learned on documents held out.

A label's map is drawn to the one map of all labels together, so that a label with few held-out documents has
a sensible one too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from branchwise.taxonomy import LabelSets

EVIDENCE = 5.0  # how many documents in doubt the map of all labels counts for in the map of one
USUAL_SLOPE = 2.0  # of a map that nothing is known about
STEPS = 50


@dataclass(frozen=True, eq=False)
class LogisticMaps:
    """The probability of label k at margin m is 1 / (1 + exp(−(slope[k] · m + offset[k])))."""

    slope: np.ndarray  # [K], never negative
    offset: np.ndarray  # [K]

    @classmethod
    def learn(cls, margins: np.ndarray, truth: LabelSets) -> LogisticMaps:
        """Learn from the margins of documents, [N, K], and the labels they truly have."""
        margins = margins.astype(np.float64)
        true = truth.to_csr(margins.shape[1]).toarray().astype(bool)
        everything = _fit(margins.reshape(-1, 1), true.reshape(-1, 1), np.array([[USUAL_SLOPE], [0.0]]), 1.0)
        each = _fit(margins, true, np.repeat(everything, margins.shape[1], axis=1), EVIDENCE)
        return cls(np.maximum(each[0], 0).astype(np.float32), each[1].astype(np.float32))

    @classmethod
    def usual(cls, n_labels: int) -> LogisticMaps:
        """Return the maps of labels that nothing is known about."""
        return cls(np.full(n_labels, USUAL_SLOPE, np.float32), np.zeros(n_labels, np.float32))

    def probabilities(self, margins: np.ndarray) -> np.ndarray:
        """Return the probability at every margin, [N, K] float32."""
        return expit(self.slope * margins + self.offset).astype(np.float32)


def _fit(margins: np.ndarray, true: np.ndarray, prior: np.ndarray, strength: float) -> np.ndarray:
    """Return slopes and offsets, [2, K], of the least log loss, each column drawn to its prior.

    Newton's method for all columns at once; a column whose loss would rise takes half the step, and again.
    """
    maps = prior.copy()
    loss = _loss(maps, margins, true, prior, strength)  # [K]
    for _ in range(STEPS):
        chance = expit(maps[0] * margins + maps[1])  # [N, K]
        error, doubt = chance - true, chance * (1 - chance)
        gradient = np.stack([(error * margins).sum(0), error.sum(0)]) + strength * (maps - prior)
        aa, ab, bb = (doubt * margins**2).sum(0) + strength, (doubt * margins).sum(0), doubt.sum(0) + strength
        step = np.stack([bb * gradient[0] - ab * gradient[1], aa * gradient[1] - ab * gradient[0]])
        step /= aa * bb - ab**2
        for _ in range(STEPS):
            tried = _loss(maps - step, margins, true, prior, strength)
            worse = tried > loss + 1e-9
            if not worse.any():
                break
            step[:, worse] /= 2
        step[:, worse] = 0
        maps -= step
        loss = np.where(worse, loss, tried)
        if np.abs(step).max(initial=0) < 1e-4:
            break
    return maps


def _loss(
    maps: np.ndarray, margins: np.ndarray, true: np.ndarray, prior: np.ndarray, strength: float
) -> np.ndarray:
    """Return the log loss of every column, [K], and what its distance from the prior costs."""
    logit = maps[0] * margins + maps[1]
    wrong = np.logaddexp(0, np.where(true, -logit, logit)).sum(0)
    return wrong + strength / 2 * ((maps - prior) ** 2).sum(0)

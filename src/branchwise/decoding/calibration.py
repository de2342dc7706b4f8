"""From scores to probabilities: a map for each level, fitted on validation documents and saved with the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, get_args

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from branchwise.choices import Calibrating
from branchwise.errors import ModelError
from branchwise.score_arrays import capped
from branchwise.taxonomy import LabelSets, Taxonomy

EDGE = 1e-6  # scores this near to 0 and 1 count as that, where their logits are taken
LEAST = 20  # true pairs of a level below which its scores stay as they are
KNOTS = 64  # places that a level's map is kept at


@dataclass(frozen=True)
class Calibration:
    """A rising map of scores for every level, as knots that are joined by straight lines."""

    method: Calibrating
    levels: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    """Scores and probabilities; both empty where a level keeps its scores."""

    @classmethod
    def fit(cls, scores: np.ndarray, truth: LabelSets, tree: Taxonomy, method: Calibrating) -> Self:
        """Fit the maps.

        Parameters
        ----------
        scores
            Of N documents and K labels, [N, K].
        truth
            The closed label sets of the same documents.
        tree
            The taxonomy.
        method
            ``none``; ``temperature``, which divides log-odds by one number a level; ``isotonic``, the rising
            map of least squares.
        """
        if method not in get_args(Calibrating):
            raise ModelError(
                f"The calibration is {method!r}: choose one of {', '.join(get_args(Calibrating))}."
            )
        true = np.zeros(scores.shape, bool)
        true[truth.rows, truth.labels] = True
        levels = []
        for level in range(1, tree.depth + 1):
            run = tree.level_run(level)
            levels.append(_fit(scores[:, run].ravel(), true[:, run].ravel(), method))
        return cls(method, tuple(levels))

    def apply(self, scores: np.ndarray, tree: Taxonomy) -> np.ndarray:
        """Return calibrated scores, [N, K], each child's capped by its parent's, top down."""
        scores = scores.astype(np.float32)
        for level in range(1, tree.depth + 1):
            run = tree.level_run(level)
            knots, probabilities = self.levels[level - 1] if self.levels else ((), ())
            if knots:
                scores[:, run] = np.interp(scores[:, run], knots, probabilities)
        return capped(scores, tree)

    def to_dict(self) -> dict[str, Any]:
        """Return the maps ready for JSON."""
        return {"method": self.method, "levels": [[list(a), list(b)] for a, b in self.levels]}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(given["method"], tuple((tuple(a), tuple(b)) for a, b in given["levels"]))


def _fit(
    scores: np.ndarray, true: np.ndarray, method: Calibrating
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    n_true = int(true.sum())
    if method == "none" or min(n_true, len(true) - n_true) < LEAST:
        return (), ()
    if method == "temperature":
        knots = expit(np.linspace(logit(EDGE), -logit(EDGE), KNOTS))
        knots[[0, -1]] = 0, 1
        probabilities = _warmed(knots, _temperature(scores, true))
        probabilities[[0, -1]] = 0, 1
    else:
        knots, probabilities = _isotonic(scores, true)
    return tuple(np.round(knots, 7).tolist()), tuple(np.round(probabilities, 7).tolist())


def _isotonic(scores: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, true)
    knots = fitted.X_thresholds_.astype(np.float64)
    if len(knots) > KNOTS:  # as many again at even steps as among the scores themselves
        places = np.linspace(0, len(knots) - 1, KNOTS // 2).round().astype(int)
        knots = np.union1d(knots[places], np.linspace(knots[0], knots[-1], KNOTS // 2))
    return knots, np.maximum.accumulate(fitted.predict(knots))


def _temperature(scores: np.ndarray, true: np.ndarray) -> float:
    """Return the number by which to divide log-odds, so that the truth becomes likeliest."""

    def surprise(log_temperature: float) -> float:
        said = np.clip(_warmed(scores, np.exp(log_temperature)), EDGE, 1 - EDGE)
        return -float(np.where(true, np.log(said), np.log1p(-said)).mean())

    return float(np.exp(minimize_scalar(surprise, bounds=(-3, 3), method="bounded").x))


def _warmed(scores: np.ndarray, temperature: float) -> np.ndarray:
    odds = logit(np.clip(scores.astype(np.float64), EDGE, 1 - EDGE))
    return expit(odds / temperature)

"""One linear support vector problem, whose weights may be drawn to a centre other than zero.

All linear rivals solve their problems here, so that between them only their ideas differ.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

TOLERANCE = 0.001  # of the gradient at zero, times the share of the rarer side, as liblinear counts
STEPS = 50
INNER_STEPS = 30  # conjugate gradient steps within one Newton step
LINE_STEPS = 20


def solve(
    documents: csr_array,
    positive: np.ndarray,
    cost: float,
    centre: np.ndarray | None = None,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Minimise ½‖w − centre‖² + cost · Σ max(0, 1 − y (w·x + b))², and return w with b as its last entry.

    Newton's method: only documents inside the margin have a part in gradient and curvature, conjugate
    gradients give the direction, and along it the loss is piecewise quadratic, so its minimum is exact. The
    intercept counts as the weight of a feature that is 1 everywhere.

    Parameters
    ----------
    documents
        Vectors, [n, V] float32.
    positive
        Which of them have the label, [n] bool.
    cost
        Weight of the loss against the distance from the centre.
    centre
        What the weights are drawn to, [V + 1]; zero where absent.
    start
        Where to begin, [V + 1]; the centre, or without one the constant answer of the larger side.
    """
    n_documents, n_words = documents.shape
    sign = np.where(positive, 1, -1).astype(np.float32)  # [n]
    n_positive = int(positive.sum())
    rarer = max(min(n_positive, n_documents - n_positive), 1)
    if centre is None:
        centre = np.zeros(n_words + 1, np.float32)
        weights = centre.copy()
        weights[-1] = 1 if 2 * n_positive > n_documents else -1 if n_documents else 0
    else:
        weights = centre.copy()
    if start is not None:
        weights = start.copy()
    if not n_documents:
        return weights
    enough = TOLERANCE * rarer / n_documents * np.linalg.norm(centre + 2 * cost * _back(documents, sign))
    margins = _forth(documents, weights)  # [n]
    for _ in range(STEPS):
        gap = 1 - sign * margins
        inside = np.flatnonzero(gap > 0)
        near = documents[inside]
        gradient = weights - centre - 2 * cost * _back(near, sign[inside] * gap[inside])
        if np.linalg.norm(gradient) <= enough:
            break
        direction = _newton_direction(near, gradient, cost)
        change = _forth(documents, direction)
        step = _best_step(weights - centre, direction, sign * margins, sign * change, cost)
        if not step:
            break  # single precision sees no further
        weights += step * direction
        margins += step * change
    return weights


def _forth(documents: csr_array, weights: np.ndarray) -> np.ndarray:
    """Return the margin of every document, [n]."""
    return documents @ weights[:-1] + weights[-1]


def _back(documents: csr_array, factors: np.ndarray) -> np.ndarray:
    """Return the sum of the documents, each times its factor, [V + 1]."""
    return np.append(documents.T @ factors, factors.sum()).astype(np.float32)


def _newton_direction(near: csr_array, gradient: np.ndarray, cost: float) -> np.ndarray:
    """Solve (1 + 2 cost · XᵀX) d = −gradient by conjugate gradients, over the documents inside the margin."""
    direction = np.zeros_like(gradient)
    residual = -gradient
    conjugate = residual.copy()
    size = float(residual @ residual)
    small = 0.01 * size
    for _ in range(INNER_STEPS):
        curved = conjugate + 2 * cost * _back(near, _forth(near, conjugate))
        length = np.float32(size / float(conjugate @ curved))
        direction += length * conjugate
        residual -= length * curved
        before, size = size, float(residual @ residual)
        if size <= small:
            break
        conjugate = residual + np.float32(size / before) * conjugate
    return direction


def _best_step(
    offset: np.ndarray, direction: np.ndarray, margins: np.ndarray, change: np.ndarray, cost: float
) -> np.float32:
    """Return how far along a direction the objective is least; margins and changes count towards the label."""
    slope, curvature = float(offset @ direction), float(direction @ direction)
    step = 1.0
    for _ in range(LINE_STEPS):
        gap = 1 - (margins + np.float32(step) * change)
        moved = change[gap > 0]
        gap = gap[gap > 0]
        first = slope + step * curvature - 2 * cost * float(gap @ moved)
        second = curvature + 2 * cost * float(moved @ moved)
        if not second:
            return np.float32(0)
        step -= first / second
        if abs(first / second) < 1e-3:
            break
    return np.float32(max(step, 0))

"""Scores of documents × labels as arrays, whatever room they are in: made dense, and kept to the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from branchwise.taxonomy import Taxonomy


def dense(scores: Any) -> np.ndarray:
    """Return scores, sparse or not, as an array, [N, K]."""
    return np.asarray(scores.toarray() if issparse(scores) else scores)


def capped(scores: np.ndarray, tree: Taxonomy) -> np.ndarray:
    """Lower the scores, [N, K], in place so that no label's is above its parent's, and return them."""
    for level in range(2, tree.depth + 1):
        run = tree.level_run(level)
        np.minimum(scores[:, run], scores[:, tree.parent[run]], out=scores[:, run])
    return scores

"""Whether one system is better than another, or only luckier in its documents: the paired bootstrap.

A resample of documents is a column of weights, so that all its counts come from one sparse matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from branchwise.errors import EvaluationError
from branchwise.evaluation.counts import Counts, intersection, per_document
from branchwise.evaluation.f1 import is_exact, macro_f1, micro_f1
from branchwise.evaluation.sets import AnySets, check_together
from branchwise.taxonomy import LabelSets, Taxonomy

METRICS = ("micro_f1", "macro_f1_all", "macro_f1_supported", "exact_match")
CELLS = 8_000_000  # documents × resamples held at once
ROUNDING = 1e-12  # exact-match differences tie often, and rounding must not decide a tie


@dataclass(frozen=True)
class Difference:
    """One metric of two systems on the same documents."""

    metric: str
    first: float
    second: float
    difference: float
    """First minus second."""
    low: float
    """Where the interval of the resampled differences begins."""
    high: float
    p_value: float
    """Two-sided: (1 + resamples whose difference is at least as far from the observed one as that is from 0)
    / (1 + resamples). Two systems with equal predictions have 1."""


@dataclass(frozen=True)
class PairedBootstrap:
    """The comparison of two systems over resampled documents."""

    documents: int
    resamples: int
    seed: int
    confidence: float
    differences: tuple[Difference, ...]

    def __getitem__(self, metric: str) -> Difference:
        """Return the difference in one metric by its name."""
        return {one.metric: one for one in self.differences}[metric]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {**asdict(self), "differences": [asdict(one) for one in self.differences]}


def paired_bootstrap(
    tree: Taxonomy,
    truth: AnySets,
    first: AnySets,
    second: AnySets,
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    add_ancestors: bool = False,
) -> PairedBootstrap:
    """Compare two systems' label sets over resamples of the documents.

    Every resample is a split of its own: the labels with support are those true of its documents. The
    interval is the percentile interval. Truth and predictions are treated as in ``evaluate``.
    """
    if resamples < 1 or not 0 < confidence < 1:
        raise EvaluationError(
            f"The bootstrap was asked for {resamples} resamples at a confidence of {confidence}: ask for at "
            "least 1 resample and a confidence between 0 and 1."
        )
    true, *systems = check_together(tree, truth, first=first, second=second)
    if add_ancestors:
        systems = [one.closed(tree) for one in systems]
    table = count_table(tree, true, *systems)
    observed = weighted_metrics(table, np.ones((len(true), 1), np.int32), len(tree))[..., 0]  # [2, metrics]
    drawn = [
        weighted_metrics(table, weights, len(tree)) for weights in draw_weights(len(true), resamples, seed)
    ]
    shown = observed[0] - observed[1]  # [metrics]
    resampled = np.concatenate([one[0] - one[1] for one in drawn], axis=-1)  # [metrics, resamples]
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=-1)
    as_far = np.abs(resampled - shown[:, None]) >= np.abs(shown)[:, None] - ROUNDING
    p_values = (1 + as_far.sum(axis=-1)) / (1 + resamples)
    columns = (observed[0], observed[1], shown, low, high, p_values)
    rows = zip(METRICS, *(one.tolist() for one in columns), strict=True)
    return PairedBootstrap(len(true), resamples, seed, confidence, tuple(Difference(*row) for row in rows))


def draw_weights(n_documents: int, resamples: int, seed: int, cells: int = CELLS) -> Iterator[np.ndarray]:
    """Yield how often each document is drawn in each resample, [N, some] int32, ``cells`` numbers at a time.

    The draws are the same whatever ``cells`` is.
    """
    random = np.random.default_rng(seed)
    at_once = max(1, cells // n_documents)
    for start in range(0, resamples, at_once):
        weights = np.empty((n_documents, min(at_once, resamples - start)), np.int32)
        for column in weights.T:
            column[:] = np.bincount(random.integers(0, n_documents, n_documents), minlength=n_documents)
        yield weights


def count_table(tree: Taxonomy, truth: LabelSets, *systems: LabelSets) -> csr_array:
    """Stack, over documents as columns: the truth, each system's hits and predictions, and its exact matches.

    Returns
    -------
    table
        [K + 2 · K · systems + systems, N] int32, mostly zeros.
    """
    stacked = [truth]
    for one in systems:
        stacked += [intersection(one, truth), one]
    exact = [np.flatnonzero(is_exact(per_document(truth, one))) for one in systems]
    rows = [one.labels.astype(np.int64) + at * len(tree) for at, one in enumerate(stacked)]
    rows += [np.full(len(one), len(stacked) * len(tree) + at) for at, one in enumerate(exact)]
    columns = np.concatenate([*(one.rows for one in stacked), *exact])
    ones = np.ones(len(columns), np.int32)
    height = len(stacked) * len(tree) + len(exact)
    return csr_array((ones, (np.concatenate(rows), columns)), shape=(height, len(truth)))


def weighted_metrics(table: csr_array, weights: np.ndarray, n_labels: int) -> np.ndarray:
    """Return METRICS of every system under every column of weights [N, B]: [systems, metrics, B]."""
    sums = (table @ weights).T  # [B, height of the table]
    n_systems = (sums.shape[1] - n_labels) // (2 * n_labels + 1)
    true, *blocks = np.split(sums, n_labels * np.arange(1, 2 * n_systems + 2), axis=1)
    exact = blocks.pop()  # [B, systems]
    metrics = []
    for at in range(n_systems):
        counts = Counts(hits=blocks[2 * at], predicted=blocks[2 * at + 1], true=true)
        exact_match = exact[:, at] / weights.sum(axis=0)
        macros = macro_f1(counts), macro_f1(counts, supported_only=True)
        metrics.append(np.stack([micro_f1(counts), *macros, exact_match]))
    return np.stack(metrics)

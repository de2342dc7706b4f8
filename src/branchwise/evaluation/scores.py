"""Scores of documents × labels, dense or sparse, checked once and then taken in blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse

from branchwise.errors import EvaluationError
from branchwise.taxonomy import LabelSets, Taxonomy
from branchwise.taxonomy.labelsets import pack

Scores: TypeAlias = np.ndarray | csr_array
BLOCK = 4_000_000  # cells of work in one block: some tens of megabytes


def check_scores(tree: Taxonomy, scores: Any, n_rows: int) -> Scores:
    """Return scores as an array or a canonical CSR array, or say what is wrong with them.

    A cell that a sparse matrix does not store is a score of 0.
    """
    if issparse(scores):
        checked = csr_array(scores)
        if not checked.has_canonical_format:
            checked = checked.copy()
            checked.sum_duplicates()
        values = checked.data
    else:
        values = checked = np.asarray(scores)
    if checked.shape != (n_rows, len(tree)):
        raise EvaluationError(
            f"The scores have the shape {' × '.join(map(str, checked.shape))}, but there are {n_rows} "
            f"documents and {len(tree)} labels: give one row a document and one column a label, in the "
            "taxonomy's order."
        )
    if values.dtype.kind not in "fiub":
        raise EvaluationError(
            f"The scores are of type {values.dtype}, not numbers: give floats between 0 and 1."
        )
    if values.dtype.kind != "f":
        checked = checked.astype(np.float64)
        values = checked.data if issparse(checked) else checked
    if values.size and not (values.min() >= 0 and values.max() <= 1):  # a NaN fails both
        _raise_outside(tree, checked)
    return checked


def _raise_outside(tree: Taxonomy, scores: Scores) -> None:
    values = scores if isinstance(scores, np.ndarray) else scores.data
    at = int(np.flatnonzero(~((values >= 0) & (values <= 1)))[0])
    if isinstance(scores, np.ndarray):
        row, label = divmod(at, scores.shape[1])
    else:
        row, label = int(np.searchsorted(scores.indptr, at, side="right")) - 1, int(scores.indices[at])
    raise EvaluationError(
        f"The score of label {tree.ids[label]!r} for document row {row} is {values.flat[at]}, which is not "
        "between 0 and 1: turn margins or logits into probabilities first."
    )


def blocks(scores: Scores, truth: LabelSets, limit: int = BLOCK) -> Iterator[tuple[Scores, LabelSets]]:
    """Cut scores and truth into runs of documents whose work stays near ``limit`` cells."""
    if isinstance(scores, np.ndarray):
        work = (truth.sizes + 1) * scores.shape[1]  # ranking compares every true label with its whole row
    else:
        work = truth.sizes + np.diff(scores.indptr) + 1
    done = np.cumsum(work)
    start = 0
    while start < len(truth):
        before = done[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(done, before + limit, side="right")))
        yield scores[start:stop], truth.take(np.arange(start, stop))
        start = stop


def true_scores(scores: Scores, truth: LabelSets) -> np.ndarray:
    """Return the score of every entry of ``truth.labels``, [total] float64."""
    if isinstance(scores, np.ndarray):
        return scores[truth.rows, truth.labels].astype(np.float64)
    stored, at = _find(scores, truth)
    values = np.zeros(len(truth.labels))
    values[stored] = scores.data[at[stored]]
    return values


def true_ranks(scores: Scores, truth: LabelSets) -> np.ndarray:
    """Return how many labels of its row stand before each true label, best first, [total] int64.

    Equal scores stand in canonical order. Only true labels are ranked, which is cheaper than sorting rows.
    """
    if isinstance(scores, np.ndarray):
        rivals = scores[truth.rows]  # [total, K]
        own = scores[truth.rows, truth.labels][:, None]
        earlier = np.arange(scores.shape[1]) < truth.labels[:, None]
        return np.count_nonzero((rivals > own) | ((rivals == own) & earlier), axis=1)
    return _sparse_ranks(scores, truth)


def _sparse_ranks(scores: csr_array, truth: LabelSets) -> np.ndarray:
    scores = scores.copy()
    scores.eliminate_zeros()  # what remains is positive, and stands before all that is not stored
    sizes = np.diff(scores.indptr)
    rows = np.repeat(np.arange(len(truth)), sizes)
    order = np.lexsort((-scores.data, rows))  # stable, so that equal scores keep canonical order
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.repeat(scores.indptr[:-1], sizes)
    stored, at = _find(scores, truth)
    # A label that is not stored follows all stored ones and the smaller positions that are not stored either.
    stored_before = at - scores.indptr[truth.rows]
    ranks = sizes[truth.rows] + truth.labels - stored_before
    ranks[stored] = place[at[stored]]
    return ranks.astype(np.int64)


def _find(scores: csr_array, truth: LabelSets) -> tuple[np.ndarray, np.ndarray]:
    """Say of every true label whether it is stored, and where it is or would be."""
    keys = pack(np.repeat(np.arange(len(truth)), np.diff(scores.indptr)), scores.indices)
    at = np.searchsorted(keys, truth.keys)
    stored = np.zeros(len(at), bool)
    inside = at < len(keys)
    stored[inside] = keys[at[inside]] == truth.keys[inside]
    return stored, at

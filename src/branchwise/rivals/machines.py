"""Many support vector problems over the same documents, one a label, solved on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.sparse import csr_array

from branchwise.rivals.hinge import solve
from branchwise.taxonomy import LabelSets

Weights = Callable[[int], np.ndarray | None]


def nowhere(label: int) -> None:
    """Name no weights for any label."""


def one_against_rest(
    documents: csr_array,
    truth: LabelSets,
    labels: Sequence[int],
    cost: float,
    *,
    centre: Weights = nowhere,
    start: Weights = nowhere,
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield every label with its weights and intercept, [V + 1], that tell its documents from all others.

    Parameters
    ----------
    documents
        Vectors, [n, V].
    truth
        Their label sets.
    labels
        The positions of the labels to learn.
    cost
        Weight of the loss.
    centre, start
        What a label's weights are drawn to, and where to begin; see :func:`branchwise.rivals.hinge.solve`.
    """
    order = np.argsort(truth.labels, kind="stable")
    members = truth.rows[order]  # the documents of label after label
    first = np.searchsorted(truth.labels[order], np.asarray([*labels]))
    last = np.searchsorted(truth.labels[order], np.asarray([*labels]), side="right")

    def learn(at: int) -> np.ndarray:
        positive = np.zeros(documents.shape[0], bool)
        positive[members[first[at] : last[at]]] = True
        return solve(documents, positive, cost, centre(labels[at]), start(labels[at]))

    pool = ThreadPoolExecutor(os.cpu_count())  # sparse products let go of the interpreter's lock
    try:
        yield from zip(labels, pool.map(learn, range(len(labels))), strict=True)
    finally:
        pool.shutdown(cancel_futures=True)  # after an interruption, what has not begun never does

"""How well scores put a document's true labels in front: R-Precision, precision at k, nDCG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwise.evaluation.counts import ratio
from branchwise.evaluation.scores import Scores, blocks, true_ranks
from branchwise.taxonomy import LabelSets

DEPTHS = (1, 3, 5)  # of precision at k
NDCG_DEPTH = 5


@dataclass(frozen=True)
class Ranking:
    """Means over the documents that have a true label; equal scores are ranked in canonical order."""

    documents: int
    """Number of documents ranked."""
    documents_without_labels: int
    """Number of documents left out, because nothing is true of them."""
    r_precision: float
    """Share of true labels among a document's R best, R being its number of true labels."""
    precision_at_1: float
    """Share of true labels among the best one, three, five; always divided by one, three, five."""
    precision_at_3: float
    precision_at_5: float
    ndcg_at_5: float
    """Discounted cumulative gain of the best five (gain 1 for a true label, discount log2 of rank + 1), as a
    share of what the best possible order has."""


def rank_labels(scores: Scores, truth: LabelSets) -> Ranking:
    """Rank the labels of every document by checked scores against true sets that are closed upwards."""
    gains = 1 / np.log2(np.arange(2, NDCG_DEPTH + 2))  # [NDCG_DEPTH]
    ideal = np.concatenate([[np.inf], np.cumsum(gains)])  # by number of true labels; none has no ideal
    hits = dict.fromkeys(DEPTHS, 0)
    r_precision = ndcg = 0.0
    for part, labels in blocks(scores, truth):
        ranks = true_ranks(part, labels)
        sizes = labels.sizes[labels.rows]
        for depth in DEPTHS:
            hits[depth] += int(np.count_nonzero(ranks < depth))
        r_precision += float((1 / sizes[ranks < sizes]).sum())
        shown = ranks < NDCG_DEPTH
        ndcg += float((gains[ranks[shown]] / ideal[np.minimum(sizes[shown], NDCG_DEPTH)]).sum())
    ranked = int(np.count_nonzero(truth.sizes))
    sums = np.array([r_precision, *(hits[depth] / depth for depth in DEPTHS), ndcg])
    return Ranking(ranked, len(truth) - ranked, *ratio(sums, np.array(ranked)).tolist())

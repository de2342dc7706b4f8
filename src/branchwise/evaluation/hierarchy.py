"""Metrics that look at the tree: whole paths, ancestor-closed sets, and labels whose parent is missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwise.evaluation.counts import intersection, per_label
from branchwise.evaluation.f1 import f1, macro_f1, micro_f1, precision, recall
from branchwise.taxonomy import LabelSets, Taxonomy


def connected(tree: Taxonomy, sets: LabelSets) -> LabelSets:
    """Return of every set the labels that have all their ancestors in it; the others are dropped."""
    while (missing := sets.missing_parent(tree)).any():  # at most once a level: orphans leave orphans
        sets = sets.select(~missing)
    return sets


def is_inconsistent(tree: Taxonomy, sets: LabelSets) -> np.ndarray:
    """Say of every set whether it holds a label whose parent is missing, [N] bool."""
    return ~sets.is_closed(tree)


@dataclass(frozen=True)
class HierarchyScores:
    """How well a system keeps to the tree, and how well it does where that is asked of it."""

    c_micro_f1: float
    """Micro F1 of the predicted labels that have all their ancestors predicted; the others do not count as
    predicted, so a true one among them is a miss."""
    c_macro_f1_all: float
    c_macro_f1_supported: float
    path_accuracy: float
    """Share of the true paths, from level 1 to a document's deepest labels, that are predicted whole."""
    paths: int
    """Number of true paths, over all documents."""
    hierarchical_precision: float
    """Share of the predicted labels and their ancestors that are true labels or ancestors of one."""
    hierarchical_recall: float
    hierarchical_f1: float


def hierarchy_scores(tree: Taxonomy, truth: LabelSets, predicted: LabelSets) -> HierarchyScores:
    """Score predicted sets as they are against true sets that are closed upwards."""
    whole = connected(tree, predicted)
    strict = per_label(truth, whole, len(tree))
    ends = truth.most_specific(tree)
    # A label of `whole` has all its ancestors there, so a path is predicted whole iff its end is in it.
    reached = intersection(ends, whole)
    closed = per_label(truth, predicted.closed(tree), len(tree)).total()
    return HierarchyScores(
        c_micro_f1=float(micro_f1(strict)),
        c_macro_f1_all=float(macro_f1(strict)),
        c_macro_f1_supported=float(macro_f1(strict, supported_only=True)),
        path_accuracy=len(reached.labels) / len(ends.labels),
        paths=len(ends.labels),
        hierarchical_precision=precision(closed).item(),
        hierarchical_recall=recall(closed).item(),
        hierarchical_f1=f1(closed).item(),
    )

"""Truth and predictions as people hand them over, turned into label sets that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from branchwise.errors import EvaluationError
from branchwise.taxonomy import LabelSets, Taxonomy

AnySets = LabelSets | Sequence[Iterable[str]]


def as_label_sets(tree: Taxonomy, sets: AnySets, what: str) -> LabelSets:
    """Return label sets as they were given, not closed.

    Parameters
    ----------
    tree
        The taxonomy.
    sets
        Label sets, or one iterable of label ids a document; an id that stands for copies brings them all.
    what
        What the sets are, for errors: ``truth``.
    """
    if isinstance(sets, LabelSets):
        return _checked(tree, sets, what)
    known = label_positions(tree)
    lists = []
    for row, labels in enumerate(sets):
        if isinstance(labels, str):
            raise EvaluationError(
                f"The {what} of document row {row} is the single string {labels!r}: give a list of label ids."
            )
        positions: list[int] = []
        for label in labels:
            if label not in known:
                raise EvaluationError(
                    f"In the {what} of document row {row}: {tree.unknown_label(str(label))}"
                )
            positions.extend(known[label])
        lists.append(positions)
    return LabelSets.from_lists(lists)


def label_positions(tree: Taxonomy) -> dict[str, tuple[int, ...]]:
    """Return the positions that every known id stands for: one, or several where a concept was duplicated."""
    return {label: tree.positions(label) for label in (*tree.ids, *tree.copies)}


def check_together(tree: Taxonomy, truth: AnySets, **predicted: AnySets) -> list[LabelSets]:
    """Return the truth, closed upwards, and each system's sets as given; say so where lengths differ."""
    closed = as_label_sets(tree, truth, "truth").closed(tree)
    if not len(closed):
        raise EvaluationError("There are no documents to evaluate: the truth is empty.")
    if not len(closed.labels):
        raise EvaluationError(
            f"None of the {len(closed)} documents has a true label: check that the truth was read with "
            "its labels."
        )
    systems = [as_label_sets(tree, sets, f"{name} sets") for name, sets in predicted.items()]
    for name, sets in zip(predicted, systems, strict=True):
        if len(sets) != len(closed):
            raise EvaluationError(
                f"There are {len(closed)} true label sets but {len(sets)} {name} ones: give one a document, "
                "in the same order, or match predictions by id first."
            )
    return [closed, *systems]


def _checked(tree: Taxonomy, sets: LabelSets, what: str) -> LabelSets:
    outside = np.flatnonzero((sets.labels < 0) | (sets.labels >= len(tree)))
    if len(outside):
        row, position = int(sets.rows[outside[0]]), int(sets.labels[outside[0]])
        raise EvaluationError(
            f"The {what} of document row {row} holds the label position {position}, but the taxonomy has "
            f"only {len(tree)} labels: use the taxonomy the sets were made with."
        )
    return sets

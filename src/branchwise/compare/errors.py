"""Where systems err: siblings taken for each other, the worst documents, and labels that are probably wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from branchwise.compare.results import Said
from branchwise.evaluation.counts import per_document
from branchwise.evaluation.f1 import f1
from branchwise.taxonomy import LabelSets, Taxonomy

DOES_WELL = 0.9  # share of the best micro F1 from which a system's word counts against a label
CONFIDENT = 0.7  # the F1 that scores must promise for a set that is held against the label


@dataclass(frozen=True)
class Confusion:
    """A label that was missed where a sibling of it was wrongly predicted."""

    true: int
    predicted: int
    documents: int
    support: int
    """Documents that have the true label."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong with one document's labels."""

    row: int
    f1: float
    missed: tuple[int, ...]
    wrong: tuple[int, ...]


@dataclass(frozen=True)
class Suspect:
    """A document on which systems that do well agree with each other and not with its label."""

    row: int
    labels: tuple[int, ...]
    """What they agree on."""
    systems: tuple[str, ...]
    confidence: float | None
    """The F1 that their scores promise for that set, on average; None where none of them has scores."""
    confidence_in_label: float | None
    """And for the label that the document came with."""


def sibling_confusions(
    tree: Taxonomy, truth: LabelSets, predicted: LabelSets, most: int = 10
) -> list[Confusion]:
    """Return the pairs of siblings that are confused in most documents."""
    missed, wrong = (one.to_csr(len(tree)).astype(np.int64) for one in _apart(truth, predicted))
    pairs = (missed.T @ wrong).tocoo()
    siblings = tree.parent[pairs.row] == tree.parent[pairs.col]
    support = truth.counts(len(tree))
    found = [
        Confusion(true, other, count, int(support[true]))
        for true, other, count in zip(
            pairs.row[siblings].tolist(),
            pairs.col[siblings].tolist(),
            pairs.data[siblings].tolist(),
            strict=True,
        )
    ]
    return sorted(found, key=lambda one: (-one.documents, one.true, one.predicted))[:most]


def worst_documents(truth: LabelSets, predicted: LabelSets, most: int = 5) -> list[Mistake]:
    """Return the documents with the lowest F1, among equals those with the most labels missed or wrong."""
    missed, wrong = _apart(truth, predicted)
    scores = document_f1(truth, predicted)
    order = np.lexsort((-(missed.sizes + wrong.sizes), scores))
    return [
        Mistake(row, float(scores[row]), tuple(missed[row].tolist()), tuple(wrong[row].tolist()))
        for row in order[:most].tolist()
        if scores[row] < 1
    ]


def document_f1(truth: LabelSets, predicted: LabelSets) -> np.ndarray:
    """Return the F1 of every document, [N]."""
    return np.asarray(f1(per_document(truth, predicted), empty=1.0))


def that_do_well(micro_f1: Mapping[str, float]) -> list[str]:
    """Return the systems that are near the best by micro F1."""
    best = max(micro_f1.values(), default=0.0)
    return [name for name, value in micro_f1.items() if best and value >= DOES_WELL * best]


def likely_label_errors(
    tree: Taxonomy, truth: LabelSets, said: Mapping[str, Said], most: int | None = None
) -> list[Suspect]:
    """Return the documents whose label most of the systems agree to be another, the most surprising first.

    Parameters
    ----------
    tree, truth
        The taxonomy, and the labels that the documents came with.
    said
        What the systems that do well say; at least two of them must agree, and more than half.
    most
        How many to return; all where None.
    """
    closed = {name: one.sets.closed(tree) for name, one in said.items()}
    found = []
    for row in range(len(truth)):
        answers = {name: sets[row].tobytes() for name, sets in closed.items()}
        [(answer, votes)] = Counter(answers.values()).most_common(1) or [(b"", 0)]
        if votes < 2 or 2 * votes <= len(said) or not answer or answer == truth[row].tobytes():
            continue
        agreeing = tuple(name for name, one in answers.items() if one == answer)
        sure = _mean([said[name].confidence for name in agreeing], row)
        if sure is None or sure >= CONFIDENT:
            labels = tuple(closed[agreeing[0]][row].tolist())
            of_label = _mean([said[name].confidence_in_label for name in agreeing], row)
            found.append(Suspect(row, labels, agreeing, sure, of_label))
    found.sort(key=lambda one: (-len(one.systems), -_surprise(one), one.row))
    return found[:most]


def _apart(truth: LabelSets, predicted: LabelSets) -> tuple[LabelSets, LabelSets]:
    """Return the labels that were missed, and those that are wrong."""
    missed = truth.select(~np.isin(truth.keys, predicted.keys))
    return missed, predicted.select(~np.isin(predicted.keys, truth.keys))


def _mean(columns: Sequence[np.ndarray | None], row: int) -> float | None:
    known = [float(one[row]) for one in columns if one is not None]
    return sum(known) / len(known) if known else None


def _surprise(one: Suspect) -> float:
    return (one.confidence or 0.0) - (one.confidence_in_label or 0.0)

"""What a system says of one document, whatever the system; files, servers and people are all given this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from branchwise.score_arrays import dense
from branchwise.taxonomy import LabelSets, Taxonomy

if TYPE_CHECKING:
    from branchwise.decoding.predicting import Outcome

NamePath = tuple[str, ...]


@dataclass(frozen=True)
class Predicted:
    """The labels of one document and how sure of them the system is."""

    labels: tuple[str, ...]
    """Ids, closed upwards, in canonical order."""
    scores: dict[str, float] = field(default_factory=dict)
    """Between 0 and 1, of every predicted label, and of others if they were asked for."""
    paths: tuple[NamePath, ...] = ()
    """Names from level 1 down to the deepest label of every path."""
    problems: tuple[str, ...] = ()
    """Kinds of what is wrong with what the system wrote, where that was not some label set's sequence."""
    repaired: bool = False
    """Whether the labels were changed to be a closed set."""
    confidence: float | None = None
    abstained: bool = False
    """Whether the document is left to people, as the confidence is too low."""

    @property
    def invalid(self) -> bool:
        """Whether what the system wrote was not some label set's sequence."""
        return bool(self.problems)


Wanted = Literal["predicted", "all", "none"]  # whose scores are given

Predict = Callable[[Sequence[str]], list[Predicted]]
"""Takes a chunk of texts and returns one prediction a text, in the same order."""


def paths_of(sets: LabelSets, tree: Taxonomy) -> list[tuple[NamePath, ...]]:
    """Return the paths of every closed label set as names, in the canonical order of their deepest labels."""
    known: dict[int, NamePath] = {}
    return [
        tuple(_path(label, tree, known) for label in deepest.tolist()) for deepest in sets.most_specific(tree)
    ]


def _path(label: int, tree: Taxonomy, known: dict[int, NamePath]) -> NamePath:
    if label not in known:
        parent = int(tree.parent[label])
        above = _path(parent, tree, known) if parent >= 0 else ()
        known[label] = (*above, tree.names[label])
    return known[label]


def describe(outcome: Outcome, tree: Taxonomy, scores: Wanted) -> list[Predicted]:
    """Return what is said of every document, with the scores of the predicted labels, of all or of none."""
    sure = None if outcome.confidence is None else outcome.confidence.round(4).tolist()
    return [
        replace(
            one,
            problems=outcome.wrong[row],
            repaired=bool(outcome.repaired[row]),
            confidence=None if sure is None else sure[row],
            abstained=bool(outcome.abstained[row]),
        )
        for row, one in enumerate(describe_sets(outcome.sets, outcome.scores, tree, scores))
    ]


def describe_sets(sets: LabelSets, scores: Any, tree: Taxonomy, wanted: Wanted) -> list[Predicted]:
    """Return label sets, as they are, with paths and the scores wanted; ``scores`` are [N, K] or None."""
    paths = paths_of(sets.closed(tree), tree)
    return [
        Predicted(labels, _scores_of(scores, row, own, tree, wanted), paths[row])
        for row, (labels, own) in enumerate(zip(sets.to_ids(tree), sets, strict=True))
    ]


def _scores_of(scores: Any, row: int, own: Any, tree: Taxonomy, wanted: Wanted) -> dict[str, float]:
    if wanted == "none" or scores is None:
        return {}
    own_scores = dense(scores[[row]])[0]
    chosen = range(len(tree)) if wanted == "all" else own.tolist()
    return {tree.ids[label]: round(float(own_scores[label]), 4) for label in chosen}

"""What a system says of one document, whatever the system; files, servers and people are all given this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

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
    invalid: bool = False
    """Whether what the system wrote was not some label set's sequence."""
    confidence: float | None = None
    abstained: bool = False
    """Whether the document is left to people, as the confidence is too low."""


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


def describe(
    outcome: Outcome, tree: Taxonomy, scores: Literal["predicted", "all", "none"]
) -> list[Predicted]:
    """Return what is said of every document, with the scores of the predicted labels, of all or of none."""
    paths = paths_of(outcome.sets.closed(tree), tree)
    sure = None if outcome.confidence is None else outcome.confidence.round(4).tolist()
    return [
        Predicted(
            labels=labels,
            scores=_scores_of(outcome, row, own, tree, scores),
            paths=paths[row],
            invalid=bool(outcome.invalid[row]),
            confidence=None if sure is None else sure[row],
            abstained=bool(outcome.abstained[row]),
        )
        for row, (labels, own) in enumerate(zip(outcome.sets.to_ids(tree), outcome.sets, strict=True))
    ]


def _scores_of(outcome: Outcome, row: int, own: Any, tree: Taxonomy, wanted: str) -> dict[str, float]:
    if wanted == "none" or outcome.scores is None:
        return {}
    scores: Any = outcome.scores[[row]]
    dense = scores.toarray()[0] if hasattr(scores, "toarray") else scores[0]
    chosen = range(len(tree)) if wanted == "all" else own.tolist()
    return {tree.ids[label]: round(float(dense[label]), 4) for label in chosen}

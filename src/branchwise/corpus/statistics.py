"""What the paper's two corpus tables say, for any corpus in parts, and what else shapes a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from branchwise.corpus.corpus import Corpus
from branchwise.corpus.lengths import Spread, word_counts
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy


@dataclass(frozen=True)
class LevelStatistics:
    """One level of the tree; an average is over all its labels, those that never occur too."""

    level: int
    labels: int
    labels_in_use: int
    occurrences_per_label: float
    occurrences_per_label_by_part: dict[str, float]


@dataclass(frozen=True)
class Statistics:
    """A corpus in numbers; label sets are counted closed upwards."""

    sizes: dict[str, int]
    """Documents of every part."""
    documents: int
    labels: int
    """|L|: labels of the taxonomy."""
    labels_in_use: int
    depth: int
    labels_per_document: float
    """Avg(|Li|)."""
    most_labels: int
    """Max(|Li|)."""
    label_set_sizes: dict[int, int]
    """How many documents carry how many labels."""
    levels: tuple[LevelStatistics, ...]
    paths_per_document: float
    most_paths: int
    multi_path_share: float
    """Share of documents with more than one path."""
    inner_stop_share: float
    """Share of documents with a path that ends at a label that has children."""
    unlabelled: int
    words: Spread
    """Words of a text."""
    words_by_part: dict[str, Spread]

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics ready for JSON."""
        return asdict(self)


def statistics(corpora: Mapping[str, Corpus]) -> Statistics:
    """Count a corpus that is given as its parts by name; all stand in one taxonomy."""
    tree = shared_taxonomy(corpora)
    counts = {name: corpus.labels.counts(len(tree)) for name, corpus in corpora.items()}
    total = np.sum(list(counts.values()), axis=0)
    sizes = np.concatenate([corpus.labels.sizes for corpus in corpora.values()])
    ends = {name: corpus.labels.most_specific(tree) for name, corpus in corpora.items()}
    paths = np.concatenate([one.sizes for one in ends.values()])
    stopping = sum(len(np.unique(one.rows[~tree.is_leaf[one.labels]])) for one in ends.values())
    words = {name: word_counts(corpus.documents.column("text")) for name, corpus in corpora.items()}
    n_documents = len(sizes)
    sets_of_size = np.bincount(sizes)
    return Statistics(
        sizes={name: len(corpus) for name, corpus in corpora.items()},
        documents=n_documents,
        labels=len(tree),
        labels_in_use=int((total > 0).sum()),
        depth=tree.depth,
        labels_per_document=_share(sizes.sum(), n_documents),
        most_labels=int(sizes.max(initial=0)),
        label_set_sizes={int(size): int(sets_of_size[size]) for size in np.flatnonzero(sets_of_size)},
        levels=tuple(_level(tree, level, total, counts) for level in range(1, tree.depth + 1)),
        paths_per_document=_share(paths.sum(), n_documents),
        most_paths=int(paths.max(initial=0)),
        multi_path_share=_share((paths > 1).sum(), n_documents),
        inner_stop_share=_share(stopping, n_documents),
        unlabelled=int((sizes == 0).sum()),
        words=Spread.of(np.concatenate(list(words.values()))),
        words_by_part={name: Spread.of(one) for name, one in words.items()},
    )


def shared_taxonomy(corpora: Mapping[str, Corpus]) -> Taxonomy:
    """Return the one taxonomy of all parts, or say which part has another."""
    if not corpora:
        raise CorpusError("No part is given: name at least one, for example train.")
    names = list(corpora)
    tree = corpora[names[0]].taxonomy
    for name in names[1:]:
        other = corpora[name].taxonomy
        if other is not tree and other.fingerprint != tree.fingerprint:
            raise CorpusError(
                f"The parts {names[0]!r} and {name!r} stand in different taxonomies ({len(tree)} and "
                f"{len(other)} labels): read them with the same one."
            )
    return tree


def _level(
    tree: Taxonomy, level: int, total: np.ndarray, counts: Mapping[str, np.ndarray]
) -> LevelStatistics:
    run = tree.level_run(level)
    return LevelStatistics(
        level=level,
        labels=run.stop - run.start,
        labels_in_use=int((total[run] > 0).sum()),
        occurrences_per_label=float(total[run].mean()),
        occurrences_per_label_by_part={name: float(one[run].mean()) for name, one in counts.items()},
    )


def _share(part: float, whole: int) -> float:
    return float(part) / whole if whole else 0.0

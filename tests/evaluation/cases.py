"""Small trees and label sets, by hand and by hypothesis, that the tests of this folder share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from branchwise.taxonomy import LabelSets, Taxonomy

Split = tuple[Taxonomy, LabelSets, *tuple[LabelSets, ...]]  # tree, truth, systems


def small_tree() -> Taxonomy:
    """Return a(c(f), d) and b(e); canonical order is the alphabet's."""
    return Taxonomy.from_nodes(list("abcdef"), ["", "", "a", "a", "b", "c"])


def dense(sets: LabelSets, tree: Taxonomy) -> np.ndarray:
    matrix = np.zeros((len(sets), len(tree)), int)
    matrix[sets.rows, sets.labels] = 1
    return matrix


@st.composite
def taxonomies(draw: st.DrawFn, max_labels: int = 10) -> Taxonomy:
    n = draw(st.integers(1, max_labels))
    above = [draw(st.integers(-1, label - 1)) for label in range(n)]
    return Taxonomy.from_nodes([f"l{i}" for i in range(n)], [f"l{i}" if i >= 0 else None for i in above])


@st.composite
def label_sets(draw: st.DrawFn, tree: Taxonomy, n_rows: int) -> LabelSets:
    """Draw any sets, closed or not, many of them empty."""
    one = st.sets(st.integers(0, len(tree) - 1), max_size=5)
    return LabelSets.from_lists(draw(st.lists(one, min_size=n_rows, max_size=n_rows)))


@st.composite
def splits(draw: st.DrawFn, systems: int = 1, max_rows: int = 8) -> Split:
    """Draw a tree, the truth (closed, some of it not empty), and the predictions of some systems."""
    tree = draw(taxonomies())
    n_rows = draw(st.integers(1, max_rows))
    truth = draw(label_sets(tree, n_rows).filter(lambda sets: len(sets.labels) > 0)).closed(tree)
    return (tree, truth, *(draw(label_sets(tree, n_rows)) for _ in range(systems)))


def as_python_sets(sets: LabelSets) -> list[set[int]]:
    return [set(one.tolist()) for one in sets]


def ancestors_or_self(tree: Taxonomy, label: int) -> set[int]:
    return {*tree.ancestors(label), label}

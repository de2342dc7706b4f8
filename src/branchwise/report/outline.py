"""The lines of a tree as people see it: depth first, and where it is too big the biggest children of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from branchwise.corpus.labelling import PATH_JOINT
from branchwise.taxonomy import ROOT, Taxonomy

WIDTHS = (100, 50, 30, 20, 15, 12, 10, 8, 6, 5, 4, 3)  # children of a label that may be shown, most first

PATH_MARKS = "/>|:. -"  # what stands between the parts of an id that is a path


@dataclass(frozen=True)
class Line:
    """A label, or what stands for the siblings that are not shown."""

    position: int
    """Of the label; ROOT where the line stands for hidden ones."""
    level: int
    hidden: int
    """How many siblings this line stands for; 0 for a label."""
    is_last: tuple[bool, ...]
    """Whether the line's ancestor on each level, and at the end it itself, is the last of its siblings."""


@dataclass(frozen=True)
class Cut:
    """How much of a tree is shown: levels, and children of one label."""

    depth: int
    width: int | None = None
    """None shows all children."""


def fit_cut(tree: Taxonomy, weight: np.ndarray, limit: int, depth: int | None = None) -> Cut:
    """Return the most generous cut that needs at most ``limit`` lines; deep comes before broad.

    Parameters
    ----------
    tree
        The taxonomy.
    weight
        What makes a label big, [K]: documents, or labels below it.
    limit
        Lines there is room for.
    depth
        The deepest level to show, where somebody chose one.
    """
    rank = sibling_rank(tree, weight)
    for deepest in range(min(depth or tree.depth, tree.depth), 0, -1):
        for width in (None, *WIDTHS):
            cut = Cut(deepest, width)
            if _count(tree, rank, cut) <= limit:
                return cut
    return Cut(1, max(limit - 1, 1))


def outline(tree: Taxonomy, weight: np.ndarray, cut: Cut) -> Iterator[Line]:
    """Yield the lines of a tree, depth first and in canonical order among siblings."""
    shown = _shown(tree, sibling_rank(tree, weight), cut)
    waiting = _children(tree, ROOT, 1, (), shown)[::-1]
    while waiting:
        line = waiting.pop()
        yield line
        if not line.hidden and line.level < cut.depth:
            waiting.extend(_children(tree, line.position, line.level + 1, line.is_last, shown)[::-1])


def sibling_rank(tree: Taxonomy, weight: np.ndarray) -> np.ndarray:
    """Return the place of every label among its siblings, biggest first, [K]."""
    order = np.lexsort((-weight, tree.parent))
    rank = np.empty(len(tree), np.int64)
    first = np.searchsorted(tree.parent[order], tree.parent[order])
    rank[order] = np.arange(len(tree)) - first
    return rank


def shown_name(tree: Taxonomy, position: int) -> str:
    """Return a label's name; where it has none but an id that goes on from its parent's, the rest of it."""
    name, parent = tree.names[position], int(tree.parent[position])
    if name != tree.ids[position] or parent == ROOT or not name.startswith(tree.ids[parent]):
        return name
    rest = name[len(tree.ids[parent]) :]
    own = rest.lstrip(PATH_MARKS)
    return own if own and own != rest else name


def id_beside_name(tree: Taxonomy, position: int) -> str:
    """Return a label's id where it says more than the name, else an empty string."""
    label, name = tree.ids[position], tree.names[position]
    return "" if label == name or label.endswith(PATH_JOINT + name) else label


def _shown(tree: Taxonomy, rank: np.ndarray, cut: Cut) -> np.ndarray:
    shown = tree.level <= cut.depth
    if cut.width is not None:
        siblings = _siblings(tree)
        # A single hidden label would take the line that says it is hidden.
        shown &= (rank < cut.width) | (siblings <= cut.width + 1)
    for level in range(2, cut.depth + 1):
        run = tree.level_run(level)
        shown[run] &= shown[tree.parent[run]]
    return shown


def _siblings(tree: Taxonomy) -> np.ndarray:
    """Return how many children the parent of each label has, [K]."""
    counts = np.append(np.diff(tree.child_start), len(tree.children(ROOT)))
    return counts[tree.parent]


def _count(tree: Taxonomy, rank: np.ndarray, cut: Cut) -> int:
    shown = _shown(tree, rank, cut)
    parents = tree.parent[: int(tree.level_start[cut.depth])]
    hidden = ~shown[: len(parents)] & np.append(shown, True)[parents]  # below a parent that is shown
    return int(shown.sum()) + len(np.unique(parents[hidden]))


def _children(
    tree: Taxonomy, parent: int, level: int, above: tuple[bool, ...], shown: np.ndarray
) -> list[Line]:
    children = tree.children(parent)
    kept = [one for one in children if shown[one]]
    hidden = len(children) - len(kept)
    lines = [Line(one, level, 0, (*above, not hidden and one == kept[-1])) for one in kept]
    if hidden:
        lines.append(Line(ROOT, level, hidden, (*above, True)))
    return lines

"""From concepts that may have several parents to one place, or several, for each in a tree."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.build import arrange

POLICIES = ("error", "first", "duplicate")
MOST_LABELS = 1_000_000  # chains of diamonds double with every level; no label set needs more than this


@dataclass(frozen=True)
class Placement:
    """One place of a concept in the tree."""

    concept: int  # its row
    label: str
    parent: str | None


def place_concepts(
    ids: Sequence[str], parents: Sequence[Sequence[int]], policy: str, where: Sequence[str]
) -> list[Placement]:
    """Give every concept its place or places in the tree, siblings in file order.

    Parameters
    ----------
    ids
        The id of each concept, unique, in file order.
    parents
        The rows of each concept's parents; none for a child of the root.
    policy
        What to do with several parents: ``error``; keep the ``first``; or ``duplicate`` the concept and its
        whole subtree under each further parent, under ids such as ``cs.LG@stat``.
    where
        Where each concept was read.
    """
    order = _parents_first(ids, parents, where)
    if policy == "duplicate":
        return _duplicate(ids, parents, order)
    for row, above in enumerate(parents):
        if policy == "error" and len(above) > 1:
            named = " and ".join(repr(ids[one]) for one in above[:3]) + (
                " and more" if len(above) > 3 else ""
            )
            raise TaxonomyError(
                f"The concept {ids[row]!r} has several parents, {named} ({where[row]}): keep one of them, or "
                "read the file with several_parents='first' or 'duplicate' (in the shell, branchwise data tree "
                "FILE --several-parents first --output tree.tsv)."
            )
    return [Placement(row, ids[row], ids[above[0]] if above else None) for row, above in enumerate(parents)]


def _children(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for row, above in enumerate(parents):
        for one in above:
            children[one].append(row)
    return children


def _parents_first(ids: Sequence[str], parents: Sequence[Sequence[int]], where: Sequence[str]) -> list[int]:
    """Order the rows so that parents come first, or raise the error that shows a cycle."""
    children = _children(parents)
    waiting = [len(above) for above in parents]
    order = [row for row, count in enumerate(waiting) if not count]
    for row in order:  # the list grows while it is walked
        for child in children[row]:
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    if len(order) < len(ids):
        # Each of those left waits for a parent that is left too: with only that one, arrange shows the cycle.
        arrange(ids, [next((ids[one] for one in above if waiting[one]), None) for above in parents], where)
    return order


def _duplicate(ids: Sequence[str], parents: Sequence[Sequence[int]], order: Sequence[int]) -> list[Placement]:
    places = [0] * len(ids)
    for row in order:
        places[row] = sum(places[one] for one in parents[row]) or 1
    if sum(places) > MOST_LABELS:
        raise TaxonomyError(
            f"Duplicating the concepts with several parents would make {sum(places):,} labels out of "
            f"{len(ids):,}, and {max(places):,} of {ids[places.index(max(places))]!r} alone: "
            "read the file with several_parents='first'."
        )
    children = _children(parents)
    taken = set(ids)
    placed = []
    queue: deque[tuple[int, str | None]] = deque(
        (row, None) for row, above in enumerate(parents) if not above
    )
    while queue:
        row, parent = queue.popleft()
        label = ids[row]
        if parent is not None and parent != ids[parents[row][0]]:
            label = f"{label}@{parent}"
            while label in taken:
                label += "'"
            taken.add(label)
        placed.append(Placement(row, label, parent))
        queue.extend((child, label) for child in children[row])
    return placed

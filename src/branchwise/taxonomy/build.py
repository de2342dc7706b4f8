"""From nodes in any order to the canonical order, or to one sentence on why they are not a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from branchwise.errors import TaxonomyError


def arrange(
    ids: Sequence[str], parents: Sequence[str | None], where: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort nodes canonically.

    Returns
    -------
    order
        [K] which node of the input stands at each position.
    parent
        [K] int32, position of each parent, -1 under the root.
    level
        [K] int32, from 1.
    """
    above = _parent_rows(ids, parents, where)  # [K], row of the parent in file order, -1 under the root
    by_parent = np.argsort(above, kind="stable")  # siblings together, in file order
    sorted_above = above[by_parent]
    start = np.searchsorted(sorted_above, np.arange(-1, len(ids) + 1))  # run of children, shifted by one

    def children_of(rows: np.ndarray) -> np.ndarray:
        first, last = start[rows + 1], start[rows + 2]
        counts = last - first
        shift = np.repeat(first - (np.cumsum(counts) - counts), counts)
        return by_parent[shift + np.arange(counts.sum())]

    waves = []
    wave = children_of(np.array([-1]))
    while len(wave):
        waves.append(wave)
        wave = children_of(wave)
    order = np.concatenate(waves) if waves else np.zeros(0, np.int64)
    if len(order) < len(ids):
        _explain_cycle(ids, above, order, where)
    rank = np.empty(len(ids) + 1, np.int32)
    rank[order] = np.arange(len(ids), dtype=np.int32)
    rank[-1] = -1  # so that row -1, the root, ranks as -1
    level = np.repeat(np.arange(1, len(waves) + 1, dtype=np.int32), [len(one) for one in waves])
    return order, rank[above[order]], level


def _parent_rows(
    ids: Sequence[str], parents: Sequence[str | None], where: Sequence[str] | None
) -> np.ndarray:
    row_of: dict[str, int] = {}
    for row, label in enumerate(ids):
        if not label or not label.strip():
            raise TaxonomyError(f"A label has an empty id{_at(where, row)}: give every label an id.")
        if label in row_of:
            first = row_of[label]
            if (parents[first] or "") != (parents[row] or ""):
                raise TaxonomyError(
                    f"The label {label!r} has two parents, {parents[first] or 'the root'!r}"
                    f"{_at(where, first)} and {parents[row] or 'the root'!r}{_at(where, row)}: "
                    "keep one of them, or give the second one an id of its own."
                )
            raise TaxonomyError(
                f"The id {label!r} is repeated{_at(where, row)}, first seen{_at(where, first) or ' above'}: "
                "every label needs an id of its own."
            )
        row_of[label] = row
    above = np.full(len(ids), -1, np.int64)
    for row, parent in enumerate(parents):
        if not parent:
            continue
        if parent not in row_of:
            raise TaxonomyError(
                f"The label {ids[row]!r} names the parent {parent!r}{_at(where, row)}, which is not in the "
                "taxonomy: add that label, or leave the parent empty to put this one under the root."
            )
        above[row] = row_of[parent]
    return above


def _explain_cycle(
    ids: Sequence[str], above: np.ndarray, reached: np.ndarray, where: Sequence[str] | None
) -> None:
    lost = np.ones(len(ids), bool)
    lost[reached] = False
    row = int(np.flatnonzero(lost)[0])
    seen: dict[int, int] = {}
    walk: list[int] = []
    while row not in seen:
        seen[row] = len(walk)
        walk.append(row)
        row = int(above[row])
    cycle = walk[seen[row] :]
    shown = [ids[one] for one in [*cycle, cycle[0]]]
    if len(shown) > 12:
        shown = [*shown[:6], "…", *shown[-5:]]
    raise TaxonomyError(
        f"The taxonomy has a cycle{_at(where, cycle[0])}, read 'has the parent': {' → '.join(shown)}: "
        "give one of these labels a parent outside the cycle."
    )


def _at(where: Sequence[str] | None, row: int) -> str:
    return f" ({where[row]})" if where is not None else ""

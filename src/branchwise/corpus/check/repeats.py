"""Checks for repeats: the same id or text twice, in one part or, worse, across parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from branchwise.corpus.check.findings import LISTED, Finding, named, number, percent
from branchwise.corpus.check.parts import Parts
from branchwise.corpus.duplicates import SIMILAR, find_duplicates


def check_repeats(parts: Parts) -> Iterator[Finding]:
    """Yield what is to be said about repeated ids and texts."""
    found = find_duplicates(parts.texts)
    exact = _Groups(parts, found.exact)
    near = _Groups(parts, found.near)
    yield from _shared_texts(parts, exact)
    yield from _ids(parts, found.exact)
    yield from _shared_near_texts(parts, exact, near)
    yield from _within_parts(parts, exact, near)
    yield from _contradictions(parts, exact)


class _Groups:
    """Rows by the first row they repeat, only those in groups of two or more."""

    def __init__(self, parts: Parts, first: np.ndarray) -> None:
        sizes = np.bincount(first, minlength=len(first)) if len(first) else np.zeros(0, np.int64)
        rows = np.flatnonzero(sizes[first] > 1)
        self.rows = rows[np.argsort(first[rows], kind="stable")]  # group after group
        self.group = first[self.rows]
        seen = np.zeros((len(first), len(parts.names)), bool)
        seen[self.group, parts.part_of[self.rows]] = True
        self.across = seen[self.group].sum(axis=1) > 1

    def held_out_repeats(self, parts: Parts) -> np.ndarray:
        """Return the rows outside training whose group reaches into another part."""
        outside = parts.part_of[self.rows] != parts.names.index(parts.training)
        return self.rows[self.across & outside]

    def pairs(self, parts: Parts, rows: np.ndarray) -> tuple[str, ...]:
        """Return each of some rows with another of its group, from another part if it reaches there."""
        found = []
        for row in rows[:LISTED].tolist():
            group = self.group[np.flatnonzero(self.rows == row)[0]]
            others = self.rows[
                np.searchsorted(self.group, group) : np.searchsorted(self.group, group, "right")
            ]
            others = others[others != row]
            elsewhere = others[parts.part_of[others] != parts.part_of[row]]
            other = (elsewhere if len(elsewhere) else others)[:1]
            one, two = parts.places(np.array([row])), parts.places(other)
            found.append(f"{one[0]} = {two[0]}")
        return tuple(found)


def _shared_texts(parts: Parts, exact: _Groups) -> Iterator[Finding]:
    rows = exact.held_out_repeats(parts)
    if len(rows):
        examples = exact.pairs(parts, rows)
        n_others = sum(len(parts.corpora[name]) for name in parts.held_out)
        yield Finding(
            "shared_texts",
            "error",
            f"{number(len(rows), 'document', 'documents')} outside {parts.training} "
            f"({percent(len(rows), n_others)}) {'has' if len(rows) == 1 else 'have'} a text that stands in "
            f"another part too ({named(examples)}): results on them measure memory; remove them, or split "
            "by group with the text as the group.",
            len(rows),
            examples,
        )


def _shared_near_texts(parts: Parts, exact: _Groups, near: _Groups) -> Iterator[Finding]:
    rows = np.setdiff1d(near.held_out_repeats(parts), exact.held_out_repeats(parts))
    if len(rows):
        examples = near.pairs(parts, rows)
        yield Finding(
            "shared_near_texts",
            "warning",  # not an error: forms and notices are alike without being copies
            f"{number(len(rows), 'document', 'documents')} outside {parts.training} "
            f"{'has' if len(rows) == 1 else 'have'} a near copy in another part, sharing at least "
            f"{100 * SIMILAR:.0f} % of their three-word runs ({named(examples)}): look at some, and remove them "
            "unless the likeness is mere boilerplate.",
            len(rows),
            examples,
        )


def _ids(parts: Parts, exact: np.ndarray) -> Iterator[Finding]:
    """Find ids that stand twice; ids that only number the rows of each file say nothing across parts."""
    codes = parts.ids.combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    order = np.lexsort((np.arange(len(codes)), codes))
    again = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    earlier, later = order[again], order[again + 1]
    same_part = parts.part_of[earlier] == parts.part_of[later]
    if same_part.any():
        rows = later[same_part]
        examples = parts.places(rows)
        yield Finding(
            "repeated_ids",
            "error",
            f"{number(len(rows), 'document has', 'documents have')} an id that stood before in the same part "
            f"({named(examples)}): predictions are matched to documents by id; make the ids unique.",
            len(rows),
            examples,
        )
    across = ~same_part & ~(_is_row_number(parts, earlier) & _is_row_number(parts, later))
    copies = across & (exact[earlier] == exact[later])
    rows = later[across]
    if len(rows):
        examples = parts.places(rows)
        yield Finding(
            "shared_ids",
            "error" if copies.any() else "warning",
            f"{number(len(rows), 'id stands', 'ids stand')} in more than one part ({named(examples)}), "
            f"{int(copies.sum()):,} of them with the same text: if they name the same documents, remove "
            "these from one part; if not, make the ids unique.",
            len(rows),
            examples,
            {"same_text": int(copies.sum())},
        )


def _is_row_number(parts: Parts, rows: np.ndarray) -> np.ndarray:
    """Say of some rows whether their id is their place in their part, counted from 1."""
    place = rows - parts.starts[parts.part_of[rows]] + 1
    ids = parts.ids.take(pa.array(rows)).to_pylist()
    return np.array([one == str(at) for one, at in zip(ids, place.tolist(), strict=True)], dtype=bool)


def _within_parts(parts: Parts, exact: _Groups, near: _Groups) -> Iterator[Finding]:
    n_parts = len(parts.names)
    kinds = (
        (
            exact,
            "repeated_texts",
            "the same text as an earlier one",
            "equal but for case, spaces and punctuation",
        ),
        (
            near,
            "near_repeats",
            "nearly the same text as an earlier one",
            f"at least {100 * SIMILAR:.0f} % alike",
        ),
    )
    already = np.zeros(0, np.int64)
    for groups, kind, what, how in kinds:
        places = groups.group * n_parts + parts.part_of[groups.rows]  # a group in a part
        _, first = np.unique(places, return_index=True)
        rows = np.setdiff1d(np.delete(groups.rows, first), already)
        already = rows
        if len(rows):
            examples = groups.pairs(parts, rows)
            yield Finding(
                kind,
                "warning",
                f"{number(len(rows), 'document has', 'documents have')} {what} of its part ({how}; "
                f"{named(examples)}): they count twice in training and in results; remove them unless that "
                "is meant.",
                len(rows),
                examples,
                {"groups": len(np.unique(groups.group[np.isin(groups.rows, rows)]))},
            )


def _contradictions(parts: Parts, exact: _Groups) -> Iterator[Finding]:
    """Find equal texts with different label sets, by comparing each with the first of its group."""
    if not len(exact.rows):
        return
    matrix = parts.closed.to_csr(len(parts.tree)).astype(np.int32)
    different = abs(matrix[exact.rows] - matrix[exact.group]).sum(axis=1) > 0
    rows = exact.rows[np.asarray(different).ravel()]
    if len(rows):
        examples = exact.pairs(parts, rows)
        n_groups = len(np.unique(exact.group[np.isin(exact.rows, rows)]))
        yield Finding(
            "contradicting_labels",
            "warning",
            f"{number(n_groups, 'text carries', 'texts carry')} different labels in different documents "
            f"({named(examples)}): no model can get them all right; unite their labels or choose between "
            "them.",
            n_groups,
            examples,
            {"documents": len(rows)},
        )

"""Many label sets at once, as two flat arrays: what closing, encoding and evaluating work on.

A set is a run of ascending label positions; positions follow the taxonomy's canonical order, so a set
read from left to right already is its canonical sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from branchwise.taxonomy.tree import Taxonomy


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The label sets of N documents: set i is ``labels[offsets[i] : offsets[i + 1]]``, ascending, unique."""

    offsets: np.ndarray  # [N + 1] int64
    labels: np.ndarray  # [total] int32

    @classmethod
    def from_pairs(cls, rows: np.ndarray, labels: np.ndarray, n_rows: int) -> LabelSets:
        """Collect (row, label) pairs, in any order and with repeats, into sets."""
        return cls._from_keys(_unique(pack(rows, labels)), n_rows)

    @classmethod
    def from_lists(cls, sets: Sequence[Iterable[int]]) -> LabelSets:
        """Collect one iterable of label positions a document."""
        lists = [list(one) for one in sets]
        sizes = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
        flat = np.fromiter((label for one in lists for label in one), dtype=np.int32, count=int(sizes.sum()))
        return cls.from_pairs(np.repeat(np.arange(len(lists)), sizes), flat, len(lists))

    @classmethod
    def empty(cls, n_rows: int) -> LabelSets:
        """Return ``n_rows`` sets with nothing in them."""
        return cls(np.zeros(n_rows + 1, np.int64), np.zeros(0, np.int32))

    @classmethod
    def _from_keys(cls, keys: np.ndarray, n_rows: int) -> LabelSets:
        rows, labels = unpack(keys)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))]).astype(np.int64)
        return cls(offsets, labels)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> np.ndarray:
        """Return the positions of one set, ascending."""
        if not -len(self) <= row < len(self):
            raise IndexError(f"Row {row} is outside the {len(self)} label sets.")
        row %= len(self)
        return self.labels[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self.labels[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSets):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.labels, other.labels)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of labels of every set, [N]."""
        return np.diff(self.offsets)

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of every entry of ``labels``, [total]."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def take(self, rows: np.ndarray | Sequence[int]) -> LabelSets:
        """Return the sets of the given rows, in that order."""
        rows = np.asarray(rows, dtype=np.int64)
        sizes = self.sizes[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        source = np.repeat(self.offsets[rows] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return LabelSets(offsets, self.labels[source])

    def select(self, keep: np.ndarray) -> LabelSets:
        """Return the sets with only the entries of ``labels`` where the boolean array ``keep`` is true."""
        kept = np.concatenate([[0], np.cumsum(keep)])
        return LabelSets(kept[self.offsets].astype(np.int64), self.labels[keep])

    @cached_property
    def keys(self) -> np.ndarray:
        """Every (row, label) pair packed into one ascending int64, [total]: what sets are compared by."""
        return pack(self.rows, self.labels)

    def agreement(self, other: LabelSets) -> float:
        """Return which share of all labels in two lists of sets stands in both: their micro F1, 0 without labels."""
        both = len(self.keys) + len(other.keys)
        return 2 * int(np.isin(self.keys, other.keys).sum()) / both if both else 0.0

    def closed(self, tree: Taxonomy) -> LabelSets:
        """Return the sets with every ancestor added."""
        level = tree.level[self.labels]
        found = []
        from_below = np.zeros(0, np.int64)
        for own in _split_by_level(self.keys, level, tree.depth)[::-1]:
            # Both parts ascend, because parents ascend with their children; a merge is all it takes.
            here = _unique(np.concatenate([own, from_below]))
            found.append(here)
            rows, labels = unpack(here)
            parents = tree.parent[labels]
            from_below = pack(rows, parents) if len(parents) and parents[0] >= 0 else here[:0]
        return self._from_keys(_unique(np.concatenate(found)) if found else self.keys, len(self))

    def missing_parent(self, tree: Taxonomy) -> np.ndarray:
        """Say of every entry of ``labels`` whether its parent is absent from its set, [total] bool."""
        parents = tree.parent[self.labels]
        return (parents >= 0) & ~_contains(self.keys, pack(self.rows, parents))

    def is_closed(self, tree: Taxonomy) -> np.ndarray:
        """Say of every set whether it holds every ancestor of its labels, [N] bool."""
        closed = np.ones(len(self), bool)
        closed[self.rows[self.missing_parent(tree)]] = False
        return closed

    def most_specific(self, tree: Taxonomy) -> LabelSets:
        """Return of every closed set the labels that have no child in the same set."""
        parents = tree.parent[self.labels]
        below_root = parents < 0
        inner = _unique(pack(self.rows, parents)[~below_root])
        return self.select(~_contains(inner, self.keys))

    def counts(self, n_labels: int) -> np.ndarray:
        """Return in how many sets each label stands, [n_labels]."""
        return np.bincount(self.labels, minlength=n_labels)

    def to_csr(self, n_labels: int) -> csr_array:
        """Return the sets as a sparse 0/1 matrix, N × n_labels."""
        ones = np.ones(len(self.labels), np.int8)
        return csr_array((ones, self.labels, self.offsets), shape=(len(self), n_labels))

    def to_ids(self, tree: Taxonomy) -> list[tuple[str, ...]]:
        """Return the sets as tuples of label ids, in canonical order."""
        ids = tree.ids
        flat = [ids[label] for label in self.labels.tolist()]
        bounds = self.offsets.tolist()
        return [tuple(flat[a:b]) for a, b in pairwise(bounds)]


def pack(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Pack rows and labels into int64 keys that sort by row, then by label."""
    return (rows.astype(np.int64) << 32) | labels


def unpack(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Take keys of :func:`pack` apart into rows (int64) and labels (int32)."""
    return keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32)


def _unique(keys: np.ndarray) -> np.ndarray:
    """Sort and drop repeats; several times faster than numpy.unique on keys that are nearly in order."""
    keys = np.sort(keys)
    fresh = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys[fresh]


def _contains(sorted_keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Say of every wanted key whether it stands in ``sorted_keys``."""
    if not len(sorted_keys):
        return np.zeros(len(wanted), bool)
    at = np.minimum(np.searchsorted(sorted_keys, wanted), len(sorted_keys) - 1)
    return sorted_keys[at] == wanted


def _split_by_level(keys: np.ndarray, level: np.ndarray, depth: int) -> list[np.ndarray]:
    """Group keys by level, ascending within each."""
    by_level = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[by_level], np.arange(2, depth + 1))
    return np.split(keys[by_level], bounds)

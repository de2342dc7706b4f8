"""The label tree as flat arrays in one canonical order, which every other room indexes by position.

Canonical order is levels first, then breadth-first by parent, then the order of the taxonomy's file. It
makes the children of a node, and the labels of a level, contiguous runs of positions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.labelsets import LabelSets

ROOT = -1  # the parent of a label of level 1; the root itself is never a label


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """K labels in canonical order; build one with :meth:`read` or :meth:`from_nodes`."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    parent: np.ndarray  # [K] int32, position of the parent or ROOT; never decreasing
    level: np.ndarray  # [K] int32, 1 for a child of the root; never decreasing
    synonyms: tuple[tuple[str, ...], ...]  # other names of each label
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids that stand for several labels, where a concept with two parents was duplicated."""

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Taxonomy:
        """Read a taxonomy file: .tsv, .csv, .json, .taxonomy, .ttl or .rdf.

        ``options`` are those of the format; see :mod:`branchwise.taxonomy.formats`.
        """
        from branchwise.taxonomy.formats import read_taxonomy

        return read_taxonomy(path, **options)

    def write(self, path: str | Path) -> None:
        """Write the taxonomy in the format that the file's suffix names."""
        from branchwise.taxonomy.formats import write_taxonomy

        write_taxonomy(self, path)

    @classmethod
    def from_nodes(
        cls,
        ids: Sequence[str],
        parents: Sequence[str | None],
        names: Sequence[str] | None = None,
        *,
        synonyms: Sequence[Sequence[str]] | None = None,
        copies: Mapping[str, Sequence[str]] | None = None,
        where: Sequence[str] | None = None,
    ) -> Taxonomy:
        """Build the tree from nodes in file order.

        Parameters
        ----------
        ids
            One id a label, unique.
        parents
            The id of each label's parent; None or an empty string for a child of the root.
        names
            What people call the labels; the ids where absent or blank.
        synonyms
            Other names of each label; blank and repeated ones are dropped.
        copies
            Ids that stand for several labels, each with the ids it stands for.
        where
            Where each node was read, for error messages: ``tree.tsv, line 7``.
        """
        from branchwise.taxonomy.build import arrange

        order, parent, level = arrange(ids, parents, where)
        texts = [
            name if name and name.strip() else label
            for label, name in zip(ids, ids if names is None else names, strict=True)
        ]
        others = synonyms if synonyms is not None else [()] * len(ids)
        return cls(
            ids=tuple(ids[i] for i in order),
            names=tuple(texts[i] for i in order),
            parent=parent,
            level=level,
            synonyms=tuple(tuple(dict.fromkeys(one for one in others[i] if one.strip())) for i in order),
            copies={key: tuple(value) for key, value in (copies or {}).items()},
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return (
            self.ids == other.ids
            and self.names == other.names
            and self.synonyms == other.synonyms
            and dict(self.copies) == dict(other.copies)
            and np.array_equal(self.parent, other.parent)
        )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Taxonomy({len(self)} labels on {self.depth} levels)"

    @property
    def depth(self) -> int:
        """Number of levels."""
        return int(self.level[-1]) if len(self) else 0

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of every id."""
        return {label: position for position, label in enumerate(self.ids)}

    def position(self, label: str) -> int:
        """Return the position of a label, or say that there is no such label."""
        try:
            return self.index[label]
        except KeyError:
            raise TaxonomyError(self.unknown_label(label)) from None

    def unknown_label(self, label: str) -> str:
        """Return the sentence that says a label is not in the tree, with the nearest ids if any are near."""
        from difflib import get_close_matches

        folded = label.strip().casefold()
        near = [one for one in self.ids if one.strip().casefold() == folded][:2]
        named = [one for one, name in zip(self.ids, self.names, strict=True) if name.casefold() == folded][:3]
        if named and not near:
            hint = f", though it is the name of {' and '.join(named)}"
        else:
            near = near or get_close_matches(label, self.ids[:20_000], n=2)
            hint = f", did you mean {' or '.join(near)}" if near else f" of {len(self):,} labels"
        return f"The label {label!r} is not in the taxonomy{hint}; use the labels' ids, not their names."

    @cached_property
    def level_start(self) -> np.ndarray:
        """First position of every level, [depth + 1]: level v is level_start[v - 1] to level_start[v]."""
        return np.searchsorted(self.level, np.arange(1, self.depth + 2)).astype(np.int32)

    def level_run(self, level: int) -> slice:
        """Return the positions of a level's labels, which are contiguous."""
        return slice(int(self.level_start[level - 1]), int(self.level_start[level]))

    @cached_property
    def child_start(self) -> np.ndarray:
        """First child of every label, [K + 1]: the children of k are child_start[k] to child_start[k + 1]."""
        return np.searchsorted(self.parent, np.arange(len(self) + 1)).astype(np.int32)

    def children(self, position: int) -> range:
        """Return the positions of a label's children; those of level 1 for ROOT."""
        if position == ROOT:
            return range(int(self.level_start[1]) if len(self) else 0)
        return range(int(self.child_start[position]), int(self.child_start[position + 1]))

    @cached_property
    def is_leaf(self) -> np.ndarray:
        """Whether a label has no children, [K] bool."""
        return np.diff(self.child_start) == 0

    def ancestors(self, position: int) -> list[int]:
        """Return the positions of a label's ancestors, from level 1 down to its parent."""
        path = []
        above = int(self.parent[position])
        while above != ROOT:
            path.append(above)
            above = int(self.parent[above])
        return path[::-1]

    def path_names(self, position: int) -> tuple[str, ...]:
        """Return the names from level 1 down to the label itself."""
        return tuple(self.names[i] for i in [*self.ancestors(position), position])

    @cached_property
    def subtree_size(self) -> np.ndarray:
        """Number of labels in each label's subtree, itself included, [K]."""
        size = np.ones(len(self) + 1, np.int64)  # the last entry collects what belongs to the root
        for depth in range(self.depth, 0, -1):
            run = self.level_run(depth)
            np.add.at(size, self.parent[run], size[:-1][run])
        return size[:-1]

    @cached_property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Depth-first entry and exit of every label: a is b or above b iff entry[a] <= entry[b] < exit[a]."""
        size, parent = self.subtree_size, self.parent
        before = np.cumsum(size) - size  # sizes of everything at smaller positions; siblings are contiguous
        entry = np.zeros(len(self), np.int64)
        for depth in range(1, self.depth + 1):
            run = self.level_run(depth)
            first = self.child_start[parent[run]] if depth > 1 else np.zeros_like(parent[run])
            above = entry[parent[run]] + 1 if depth > 1 else 0
            entry[run] = above + before[run] - before[first]
        return entry, entry + size

    @cached_property
    def child_matrix(self) -> csr_array:
        """Sparse K × K, true where the column is a child of the row."""
        ones = np.ones(len(self) - int(self.child_start[0]), bool)
        columns = np.arange(int(self.child_start[0]), len(self), dtype=np.int32)
        offsets = self.child_start - self.child_start[0]
        return csr_array((ones, columns, offsets), shape=(len(self), len(self)))

    @cached_property
    def ancestor_matrix(self) -> csr_array:
        """Sparse K × K, true where the column is an ancestor of the row (a label is not its own ancestor)."""
        alone = LabelSets(np.arange(len(self) + 1, dtype=np.int64), np.arange(len(self), dtype=np.int32))
        above = alone.closed(self)
        matrix = above.select(above.labels != above.rows).to_csr(len(self))
        return matrix.astype(bool)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the ids and their parents: equal exactly where labels mean the same positions."""
        digest = hashlib.sha256()
        for label, above in zip(self.ids, self.parent.tolist(), strict=True):
            digest.update(f"{len(label.encode())}:{label}{above};".encode())
        return digest.hexdigest()

    def label_sets(self, sets: Iterable[Iterable[str]]) -> LabelSets:
        """Turn label ids into label sets, closed upwards; an id that stands for copies brings them all."""
        lists = [[p for label in one for p in self.positions(label)] for one in sets]
        return LabelSets.from_lists(lists).closed(self)

    def positions(self, label: str) -> tuple[int, ...]:
        """Return every position an id stands for: one, or several where a concept was duplicated."""
        if label in self.copies:
            return tuple(self.position(one) for one in self.copies[label])
        return (self.position(label),)

"""From the labels as a file spells them (ids, or paths) to positions in a tree, given or grown on the way."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from branchwise.errors import CorpusError
from branchwise.taxonomy import LabelSets, Taxonomy

PATH_JOINT = " > "  # between the parts of an id that is a whole path
Label = str | tuple[str, ...]
HINTS = 3  # as many as a report has examples; in a large tree the search for near ids takes its time
_AMBIGUOUS = -1  # in place of the position of a path that several labels share


class Labelling(Protocol):
    """Finds the positions that a label stands for, none where it is unknown."""

    def is_label(self, text: str) -> bool:
        """Say whether a cell's whole text is one label."""

    def positions(self, label: Label) -> tuple[int, ...]:
        """Return the positions of a label."""

    def unknown(self, label: Label) -> str:
        """Say in words that a label is unknown."""

    def finish(self, given: LabelSets) -> tuple[Taxonomy, LabelSets]:
        """Return the tree, and the label sets in its positions."""


class KnownTree:
    """Labels of a taxonomy that the user gave."""

    def __init__(self, tree: Taxonomy) -> None:
        self._tree = tree
        self._by_id: dict[str, tuple[int, ...]] = {label: (at,) for label, at in tree.index.items()}
        self._by_id |= {label: tree.positions(label) for label in tree.copies}
        self._by_path: dict[tuple[str, ...], int] | None = None
        self._hints = HINTS

    def is_label(self, text: str) -> bool:
        """Say whether a cell's whole text is an id of the tree."""
        return text in self._by_id

    def positions(self, label: Label) -> tuple[int, ...]:
        """Return the positions of an id, or of a path of ids or names from level 1 down."""
        if isinstance(label, str):
            return self._by_id.get(label, ())
        found = self._path(label)
        return () if found is None or found == _AMBIGUOUS else (found,)

    def _path(self, label: tuple[str, ...]) -> int | None:
        if self._by_path is None:
            self._by_path = _paths(self._tree)
        return self._by_path.get(label)

    def unknown(self, label: Label) -> str:
        """Say in words that a label is unknown, the first few times with near ones."""
        if isinstance(label, str):
            if not self._hints:
                return f"the label {label!r} is not in the taxonomy"
            self._hints -= 1
            sentence = self._tree.unknown_label(label).rstrip(".").split("; use")[0]
            return sentence[:1].lower() + sentence[1:]
        path = PATH_JOINT.join(label)
        if self._path(label) == _AMBIGUOUS:
            return f"the path {path!r} is the names of several labels, so that only their ids tell them apart"
        return f"the path {path!r} is not in the taxonomy"

    def finish(self, given: LabelSets) -> tuple[Taxonomy, LabelSets]:
        """Return the tree as it was given."""
        return self._tree, given


def _paths(tree: Taxonomy) -> dict[tuple[str, ...], int]:
    """Map every path of ids and every path of names, from level 1 down, to its label; ids win."""
    by_ids: list[tuple[str, ...]] = []
    by_names: list[tuple[str, ...]] = []
    paths: dict[tuple[str, ...], int] = {}
    for position, parent in enumerate(tree.parent.tolist()):
        ids, names = (by_ids[parent], by_names[parent]) if parent >= 0 else ((), ())
        by_ids.append((*ids, tree.ids[position]))
        by_names.append((*names, tree.names[position]))
        paths[by_names[-1]] = _AMBIGUOUS if by_names[-1] in paths else position
    return paths | {path: position for position, path in enumerate(by_ids)}


class GrownTree:
    """Labels that carry their own paths; the tree is what the paths say, ids are whole paths.

    Parameters
    ----------
    may_be_flat
        Whether labels that all stand on level 1 are what the user meant, not a taxonomy forgotten.
    """

    def __init__(self, may_be_flat: bool = False) -> None:
        self._nodes: dict[tuple[str, ...], int] = {}
        self._may_be_flat = may_be_flat

    def is_label(self, text: str) -> bool:  # noqa: ARG002
        """Say that no text is known to be one label."""
        return False

    def positions(self, label: Label) -> tuple[int, ...]:
        """Return the place of a path in the order of first sight, growing the tree where it is new."""
        path = (label,) if isinstance(label, str) else label
        node = self._nodes.get(path)
        if node is not None:
            return (node,)
        if not all(path):
            return ()
        for length in range(1, len(path) + 1):
            self._nodes.setdefault(path[:length], len(self._nodes))
        return (self._nodes[path],)

    def unknown(self, label: Label) -> str:
        """Say in words that a path has an empty part."""
        return f"the path {PATH_JOINT.join(label) if isinstance(label, tuple) else label!r} has an empty part"

    def finish(self, given: LabelSets) -> tuple[Taxonomy, LabelSets]:
        """Return the grown tree, siblings sorted by name, and the sets in its positions."""
        paths = sorted(self._nodes)
        if paths and not self._may_be_flat and max(map(len, paths)) == 1:
            raise CorpusError(
                f"None of the labels is a path (one is {paths[0][0]!r}), so they make no tree: give the "
                "taxonomy, or say with --path-separator what stands between the parts of a label."
            )
        ids = [PATH_JOINT.join(path) for path in paths]
        if len(set(ids)) < len(ids):
            twice = next(one for one in ids if ids.count(one) > 1)
            raise CorpusError(
                f"Two different label paths are both written {twice!r}, because a part holds "
                f"{PATH_JOINT.strip()!r}: rename that part or choose another path separator."
            )
        tree = Taxonomy.from_nodes(
            ids, [PATH_JOINT.join(path[:-1]) for path in paths], [path[-1] for path in paths]
        )
        new = np.empty(len(paths), np.int32)
        for path, one in zip(paths, ids, strict=True):
            new[self._nodes[path]] = tree.index[one]
        return tree, LabelSets.from_pairs(given.rows, new[given.labels], len(given))

"""Nodes collected in file order, as every format's reader hands them over to become a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.formats.source import Places, Source
from branchwise.taxonomy.tree import ROOT, Taxonomy


@dataclass
class Nodes:
    """The labels of a file so far, one entry a label in every list."""

    source: Source
    ids: list[str] = field(default_factory=list)
    parents: list[str | None] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    synonyms: list[Sequence[str]] = field(default_factory=list)
    copies: dict[str, Sequence[str]] = field(default_factory=dict)

    def add(self, label: str, parent: str | None, name: str = "", synonyms: Sequence[str] = ()) -> None:
        """Add a label; without a parent it stands under the root, without a name its id is its name."""
        self.ids.append(label)
        self.parents.append(parent)
        self.names.append(name)
        self.synonyms.append(synonyms)

    def build(self, place: Callable[[int], str]) -> Taxonomy:
        """Make the tree; ``place`` says where the label of a row was read."""
        if not self.ids:
            raise TaxonomyError(f"{self.source.path} holds no label: a taxonomy needs at least one.")
        self._check_characters(place)
        tree = Taxonomy.from_nodes(
            self.ids,
            self.parents,
            self.names,
            synonyms=self.synonyms,
            copies=self.copies,
            where=Places(len(self.ids), place),
        )
        for label, copies in self.copies.items():
            for copy in copies:
                if copy not in tree.index:
                    raise TaxonomyError(
                        f"The copies of {label!r} in {self.source.path} include {copy!r}, which is not in "
                        "the taxonomy: add that label, or take it from the copies."
                    )
        return tree

    def _check_characters(self, place: Callable[[int], str]) -> None:
        for row, texts in enumerate(zip(self.ids, self.names, self.synonyms, strict=True)):
            try:
                "".join([texts[0], texts[1], *texts[2]]).encode()
            except UnicodeEncodeError:
                raise TaxonomyError(
                    f"The label {texts[0]!r} ({place(row)}) has half of a character pair (a lone surrogate) "
                    "in its id, name or synonyms: correct it."
                ) from None


def parent_ids(tree: Taxonomy) -> list[str | None]:
    """Return the id of each label's parent, None under the root."""
    return [None if above == ROOT else tree.ids[above] for above in tree.parent.tolist()]


def check_copies(tree: Taxonomy, path: Path) -> None:
    """Refuse to write copies of an id that is no label, in formats that keep copies with their label."""
    for label in tree.copies:
        if label not in tree.index:
            raise TaxonomyError(
                f"{path} cannot hold the copies of {label!r}, which is not itself a label: "
                "write a .json file."
            )

"""WOS-46985 (HDLTex): abstracts of papers with a domain and an area, split and named as HiAGM and the paper do it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from branchwise.corpus.sources.benchmark import Found, Part, Watch, bundled_tree
from branchwise.corpus.sources.wos_rows import Row, plain, read_rows
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

ROWS = 46_985
SMALLEST = 3  # rows that can be split in three


@dataclass(frozen=True)
class Wos:
    """Web of Science; the id of a document is its row in Data.xlsx, counted from 0.

    Parameters
    ----------
    merge_areas
        Give areas that share a code the more frequent one's name, as HiAGM does: 141 labels, otherwise 152.
    """

    merge_areas: bool = True
    name: ClassVar[str] = "wos"
    title: ClassVar[str] = "WOS"

    def taxonomy(self) -> Taxonomy:
        """Return domains and areas, those of HiAGM or all that Data.xlsx names."""
        return bundled_tree("wos.taxonomy" if self.merge_areas else "wos-areas.tsv")

    def documents(self, source: Path, watch: Watch) -> Iterator[Found]:
        """Yield every row, in its order."""
        rows = read_rows(source, watch)
        if len(rows) < SMALLEST:
            raise CorpusError(f"{source} holds {len(rows)} rows of WOS, too few to split: fetch it again.")
        parts = published_split(len(rows))
        _tell_split(parts, watch)
        areas = merged_areas(rows) if self.merge_areas else [row.area for row in rows]
        moved = sum(area != row.area for row, area in zip(rows, areas, strict=True))
        if moved:
            watch.note(
                f"{moved:,} documents got the name of a more frequent area that has their area's code, as in HiAGM."
            )
        labels = _labels(self.taxonomy())
        for number, (row, area, part) in enumerate(zip(rows, areas, parts, strict=True)):
            label = labels.get((row.domain.casefold(), area.casefold()), f"{row.domain}/{area}")
            yield Found(str(number), row.text, (label,) if area else (), part)


def published_split(rows: int) -> list[Part]:
    """Return the part of every row, by HiAGM's recipe: with 46,985 rows, the split that the papers use."""
    from sklearn.model_selection import train_test_split

    order = list(range(rows))
    np.random.RandomState(7).shuffle(order)  # as after numpy.random.seed(7), which would change everybody's
    rest, test = train_test_split(order, test_size=0.2, random_state=0)
    _, validation = train_test_split(rest, test_size=0.2, random_state=0)
    parts: list[Part] = ["train"] * rows
    for row in test:
        parts[row] = "test"
    for row in validation:
        parts[row] = "validation"
    return parts


def split_hashes(parts: Sequence[Part]) -> dict[Part, str]:
    """Return a SHA-256 for every part: of its row numbers, ascending, each followed by a line feed."""
    digests = {part: hashlib.sha256() for part in ("train", "validation", "test")}
    for row, part in enumerate(parts):
        digests[part].update(f"{row}\n".encode())
    return {part: digest.hexdigest() for part, digest in digests.items()}  # type: ignore[misc]


def merged_areas(rows: Sequence[Row]) -> list[str]:
    """Return the area of every row by HiAGM's rule.

    An area gives way to a more frequent one that stood before it with the same code. It depends on the order:
    the first documents of Electrical generator keep their label, as Analog signal processing comes later.
    """
    often = Counter((row.domain, row.area) for row in rows)
    known: dict[tuple[str, str], dict[str, None]] = {}  # the areas of a code in order of appearance
    found = []
    for row in rows:
        areas = known.setdefault(row.code, {}) if row.area else {"": None}
        areas.setdefault(row.area)
        own = often[row.domain, row.area]
        found.append(next((area for area in areas if often[row.domain, area] > own), row.area))
    return found


def _labels(tree: Taxonomy) -> dict[tuple[str, str], str]:
    """Return the id of every area by the names of its domain and itself: two names stand in two domains."""
    names = [plain(name).casefold() for name in tree.names]
    return {
        (names[tree.parent[at]], names[at]): tree.ids[at]
        for at in range(tree.level_run(2).start, tree.level_run(2).stop)
    }


def _tell_split(parts: Sequence[Part], watch: Watch) -> None:
    hashes = ", ".join(f"{part} {digest}" for part, digest in split_hashes(parts).items())
    watch.note(f"The row numbers of the parts have these SHA-256: {hashes}.")
    if len(parts) != ROWS:
        watch.note(
            f"There are {len(parts):,} rows in place of {ROWS:,}, so the split follows the published recipe but is not "
            "the published split."
        )

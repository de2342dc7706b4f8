"""The parts that a check looks at, their documents numbered through from the first part to the last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from branchwise.corpus.check.findings import LISTED
from branchwise.corpus.corpus import Corpus
from branchwise.corpus.statistics import shared_taxonomy
from branchwise.taxonomy import LabelSets, Taxonomy

TRAINING = "train"


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts by name; the one named train, or else the first, is trained on."""

    corpora: Mapping[str, Corpus]

    @cached_property
    def tree(self) -> Taxonomy:
        """The taxonomy of all parts."""
        return shared_taxonomy(self.corpora)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parts' names."""
        return tuple(self.corpora)

    @cached_property
    def training(self) -> str:
        """The name of the part that is trained on."""
        return TRAINING if TRAINING in self.corpora else self.names[0]

    @property
    def in_training(self) -> str:
        """Words that say where a count was made; none where there is only one part."""
        return f" in {self.training}" if len(self.names) > 1 else ""

    @property
    def held_out(self) -> tuple[str, ...]:
        """The names of the other parts."""
        return tuple(name for name in self.names if name != self.training)

    @cached_property
    def starts(self) -> np.ndarray:
        """First row of every part and the number of all rows."""
        return np.concatenate([[0], np.cumsum([len(corpus) for corpus in self.corpora.values()])])

    @cached_property
    def part_of(self) -> np.ndarray:
        """The number of each row's part, [N]."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.starts))

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column of all parts end to end, without copying it."""
        chunks = [chunk for corpus in self.corpora.values() for chunk in corpus.documents.column(name).chunks]
        return pa.chunked_array(chunks, pa.large_string())

    @cached_property
    def ids(self) -> pa.ChunkedArray:
        """The ids of all rows."""
        return self.column("id")

    @cached_property
    def texts(self) -> pa.ChunkedArray:
        """The texts of all rows."""
        return self.column("text")

    @cached_property
    def given(self) -> LabelSets:
        """The label sets of all rows as the files give them."""
        return self._all([corpus.given for corpus in self.corpora.values()])

    @cached_property
    def closed(self) -> LabelSets:
        """The label sets of all rows, closed upwards."""
        return self._all([corpus.labels for corpus in self.corpora.values()])

    def _all(self, sets: list[LabelSets]) -> LabelSets:
        ends = np.cumsum([len(one.labels) for one in sets])
        shifted = [one.offsets[1:] + end - len(one.labels) for one, end in zip(sets, ends, strict=True)]
        return LabelSets(
            np.concatenate([[0], *shifted]).astype(np.int64), np.concatenate([one.labels for one in sets])
        )

    def places(self, rows: np.ndarray) -> tuple[str, ...]:
        """Return the documents of some rows as people find them: ``2101.00001 (train)``."""
        rows = np.asarray(rows)[:LISTED]
        ids = self.ids.take(pa.array(rows)).to_pylist()
        if len(self.names) == 1:
            return tuple(ids)
        parts = [self.names[number] for number in self.part_of[rows].tolist()]
        return tuple(f"{one} ({part})" for one, part in zip(ids, parts, strict=True))

    def label_ids(self, positions: np.ndarray) -> tuple[str, ...]:
        """Return the ids of some labels."""
        return tuple(self.tree.ids[position] for position in positions[:LISTED].tolist())

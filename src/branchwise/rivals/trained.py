"""What a linear rival has learned: words, sparse weights and logistic maps, and how they lie on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from branchwise.model.folder import damaged
from branchwise.rivals.platt import LogisticMaps
from branchwise.rivals.storage import VOCABULARY, WEIGHTS, read_arrays, read_words, write_words
from branchwise.rivals.words import Words


@dataclass(frozen=True, eq=False)
class Trained:
    """One linear machine a label, over V words and K labels."""

    words: Words
    weights: csr_array  # [V, K] float32
    intercept: np.ndarray  # [K] float32
    maps: LogisticMaps

    def write(self, folder: Path) -> None:
        """Write words and arrays."""
        write_words(folder / VOCABULARY, self.words.vocabulary)
        np.savez_compressed(
            folder / WEIGHTS,
            idf=self.words.idf,
            values=self.weights.data,
            columns=self.weights.indices.astype(np.int32),
            rows=self.weights.indptr.astype(np.int64),
            intercept=self.intercept,
            slope=self.maps.slope,
            offset=self.maps.offset,
        )

    @classmethod
    def read(cls, folder: Path, n_labels: int, phrase: int) -> Trained:
        """Read what :meth:`write` wrote, checked for fitting together."""
        vocabulary = read_words(folder / VOCABULARY)
        n_words = len(vocabulary)
        shapes: dict[str, tuple[int | None, ...]] = {
            "idf": (n_words,),
            "values": (None,),
            "columns": (None,),
            "rows": (n_words + 1,),
            "intercept": (n_labels,),
            "slope": (n_labels,),
            "offset": (n_labels,),
        }
        stored = read_arrays(folder / WEIGHTS, shapes)
        try:
            parts = (stored["values"], stored["columns"], stored["rows"])
            weights = csr_array(parts, shape=(n_words, n_labels))
            weights.check_format(full_check=True)
        except (ValueError, TypeError) as error:
            raise damaged(folder / WEIGHTS, error) from error
        maps = LogisticMaps(stored["slope"], stored["offset"])
        return cls(Words(vocabulary, stored["idf"], phrase), weights, stored["intercept"], maps)

"""What the linear rivals share: from texts to vectors, and from many machines to margins.

A rival adds how its machines are learned and, where a label depends on others, how their margins combine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, vstack

from branchwise.corpus import Corpus
from branchwise.progress import Progress
from branchwise.rivals.base import Rival, Tell
from branchwise.rivals.platt import LogisticMaps
from branchwise.rivals.settings import LinearSettings
from branchwise.rivals.trained import Trained
from branchwise.rivals.words import Words
from branchwise.taxonomy import LabelSets, Taxonomy


class LinearSystem(Rival):
    """Linear support vector machines on TF-IDF vectors; the rivals derive from it."""

    Settings: ClassVar[type[LinearSettings]] = LinearSettings
    settings: LinearSettings

    def learn(
        self, documents: csr_array, truth: LabelSets, tell: Callable[[str], None]
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield every label with its weights and intercept, [V + 1]; a label that comes again is replaced."""
        raise NotImplementedError

    def effort(self) -> int:
        """Return how many machines :meth:`learn` yields at most."""
        return len(self.taxonomy)

    def combine(self, margins: np.ndarray) -> np.ndarray:
        """Return the margins that decide, [N, K], from those of the machines; a rival may change them in place."""
        return margins

    def _learn(
        self,
        train: Corpus,
        held_out: Corpus,  # noqa: ARG002
        tell: Tell,
    ) -> tuple[Trained, dict[str, Any]]:
        words, vectors = Words.learn(train.texts(), len(train), self.settings.phrase, self.settings.fewest)
        tell(f"{len(train):,} documents hold {len(words.vocabulary):,} features.")
        learned: dict[int, tuple[csr_array, float]] = {}
        with Progress(f"Training {self.name}", self.effort(), "machines") as progress:
            for label, machine in self.learn(vectors, train.labels, tell):
                learned[label] = self._pruned(machine)
                progress.advance()
        rows, intercepts = zip(*(learned[label] for label in range(len(self.taxonomy))), strict=True)
        weights = csr_array(vstack(rows).T)  # [V, K]
        usual = LogisticMaps.usual(len(self.taxonomy))
        trained = Trained(words, weights, np.array(intercepts, np.float32), usual)
        return trained, {"features": len(words.vocabulary), "weights": int(weights.nnz)}

    def _pruned(self, machine: np.ndarray) -> tuple[csr_array, float]:
        """Return the weights worth keeping, [1, V], and the intercept."""
        weights = machine[None, :-1]
        size = np.abs(weights)
        worth = size >= self.settings.prune * size.max(initial=0)
        return csr_array(np.where(worth, weights, 0)), float(machine[-1])

    def _answers(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        known = (self.trained.words.vectors(texts) @ self.trained.weights).toarray()
        margins = self.combine(known + self.trained.intercept)
        return margins, margins > 0

    @classmethod
    def _read(cls, folder: Path, tree: Taxonomy, settings: LinearSettings) -> Trained:
        return Trained.read(folder, len(tree), settings.phrase)

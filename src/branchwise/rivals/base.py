"""What all rivals share: checks, the documents held out, decisions and scores from margins, and the folder.

A rival answers a text with a margin for every label; it has the labels whose margin is above zero, unless it
decides in another way, and a logistic map of a label's margin is its score.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from branchwise.corpus import Corpus
from branchwise.corpus.splits import split
from branchwise.errors import ModelError
from branchwise.model.folder import CONFIG, damaged, replacing, write_json
from branchwise.rivals import storage
from branchwise.rivals.platt import LogisticMaps
from branchwise.rivals.settings import Settings
from branchwise.score_arrays import capped
from branchwise.taxonomy import LabelSets, Taxonomy

HELD_OUT = 0.1  # share of the training documents that calibrate where no others are given
MOST_TO_CALIBRATE = 10_000  # documents; more hardly change two numbers a label
FEWEST_TO_SPLIT = 10  # with fewer documents than this, none can be spared
CHUNK = 4096  # documents whose margins are in memory at once

Tell = Callable[[str], None]


class Rival(ABC):
    """A system that answers with margins.

    Parameters
    ----------
    taxonomy
        The tree of labels.
    seed
        For the documents that are held out, and for whatever is random in training.
    **settings
        Any field of the class's ``Settings`` by name.
    """

    name: ClassVar[str]
    Settings: ClassVar[type[Settings]]
    settings: Any

    def __init__(self, taxonomy: Taxonomy, *, seed: int = 0, **settings: Any) -> None:
        self.taxonomy = taxonomy
        self.settings = self.Settings.of(self.name, {"seed": seed, **settings})
        self.record: dict[str, Any] = {}
        self._trained: Any = None

    @abstractmethod
    def _learn(self, train: Corpus, held_out: Corpus, tell: Tell) -> tuple[Any, dict[str, Any]]:
        """Return what was learned, a dataclass with ``maps``, and what the record says of it."""

    @abstractmethod
    def _answers(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the margins of some texts and which labels they have, [n, K] and [n, K] bool."""

    @classmethod
    @abstractmethod
    def _read(cls, folder: Path, tree: Taxonomy, settings: Any) -> Any:
        """Return what a folder holds of what was learned."""

    def fit(self, train: Corpus, validation: Corpus | None = None, *, tell: Tell | None = None) -> Self:
        """Learn from a corpus.

        Parameters
        ----------
        train
            Documents with labels.
        validation
            Documents to calibrate the scores on, and to choose by; a tenth of ``train`` is held out where absent.
        tell
            Called with a sentence for every thing worth knowing on the way.
        """
        say = tell or (lambda _: None)
        self._check(train, validation)
        started = time.monotonic()
        train, held_out = self._parts(train, validation, say)
        shown = held_out.take(range(min(len(held_out), MOST_TO_CALIBRATE)))
        self._trained, facts = self._learn(train, shown, say)
        margins = np.concatenate([one for one, _ in self._chunks(list(shown.texts()))])
        self._trained = replace(self._trained, maps=LogisticMaps.learn(margins, shown.labels))
        self.record = {
            "documents": len(train),
            "fingerprint": train.fingerprint,
            "calibration": {"documents": len(held_out), "fingerprint": held_out.fingerprint},
            **facts,
            "seconds": round(time.monotonic() - started, 1),
        }
        return self

    def _check(self, train: Corpus, validation: Corpus | None) -> None:
        if not len(self.taxonomy):
            raise ModelError("The taxonomy has no label, so there is nothing to learn: add labels to it.")
        for corpus in (train, validation):
            if corpus is not None and corpus.taxonomy.fingerprint != self.taxonomy.fingerprint:
                raise ModelError("The documents were read with another taxonomy than the rival's: use one.")
            if corpus is not None and not len(corpus):
                raise ModelError("A corpus to learn from holds no documents: give at least one.")
        if train.given.sizes.sum() == 0:
            raise ModelError(
                "No training document has a label: name the field that holds the labels when reading."
            )

    def _parts(self, train: Corpus, validation: Corpus | None, say: Tell) -> tuple[Corpus, Corpus]:
        """Return the documents to learn from and those to calibrate on."""
        if validation is not None:
            return train, validation
        if len(train) < FEWEST_TO_SPLIT:
            say(
                f"With {len(train)} documents none are held out: scores are calibrated on the training itself."
            )
            return train, train
        shares = {"train": 1 - HELD_OUT, "held out": HELD_OUT}
        parts = split(
            train, shares, how="random", seed=self.settings.seed
        )  # never takes most of a rare label
        say(f"{len(parts['held out']):,} training documents are held out to calibrate scores.")
        return parts["train"], parts["held out"]

    def predict(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the label ids of every text in canonical order, as decided.

        Nothing is repaired: where the rival's labels do not depend on each other, one may come without its
        parent. A set may be empty.
        """
        return self.decide(texts).to_ids(self.taxonomy)

    def decide(self, texts: Sequence[str]) -> LabelSets:
        """Return the same as :meth:`predict`, as arrays of label positions."""
        rows, labels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for at, (_, chosen) in enumerate(self._chunks(texts)):
            row, label = np.nonzero(chosen)
            rows.append(row + at * CHUNK)
            labels.append(label)
        return LabelSets.from_pairs(np.concatenate(rows), np.concatenate(labels), len(texts))

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """Return a probability for every text and label, [N, K] float32 in tree order, no child above its parent."""
        scores = np.zeros((len(texts), len(self.taxonomy)), np.float32)
        for at, (margins, _) in enumerate(self._chunks(texts)):
            scores[at * CHUNK : (at + 1) * CHUNK] = self.trained.maps.probabilities(margins)
        return capped(scores, self.taxonomy)

    def _chunks(self, texts: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the answers to one chunk of texts after another."""
        self.trained  # noqa: B018 (says so where nothing was learned, even without texts)
        if isinstance(texts, str):
            raise ModelError("A rival takes a list of texts, not one text: put it into a list.")
        for at in range(0, len(texts), CHUNK):
            chunk = list(texts[at : at + CHUNK])
            wrong = next((row for row, text in enumerate(chunk) if not isinstance(text, str)), None)
            if wrong is not None:
                kind = type(chunk[wrong]).__name__
                raise ModelError(f"Text {at + wrong + 1} is of type {kind}, not a string: give strings only.")
            yield self._answers(chunk)

    @property
    def trained(self) -> Any:
        """What has been learned."""
        if self._trained is None:
            raise ModelError(f"This {self.name} has not been trained: call fit first, or load a trained one.")
        return self._trained

    def save(self, path: str | Path) -> None:
        """Write the trained rival as a folder; its files replace an older one's at the end."""
        trained = self.trained
        about = storage.describe(self.name, self.taxonomy, vars(self.settings), self.record)
        with replacing(Path(path)) as part:
            trained.write(part)
            self.taxonomy.write(part / storage.TAXONOMY)
            write_json(part / CONFIG, about)

    @classmethod
    def load(cls, path: str | Path, taxonomy: Taxonomy | None = None) -> Self:
        """Load a trained rival from its folder; a ``taxonomy`` other than its own is an error."""
        folder = Path(path)
        about = storage.read_about(folder)
        if about[storage.SYSTEM] != cls.name:
            raise ModelError(
                f"{folder} holds a {about[storage.SYSTEM]}, not a {cls.name}: open it with load_system, which looks."
            )
        tree = storage.read_tree(folder, about, taxonomy)
        try:
            system = cls(tree, **about["settings"])
        except (ModelError, TypeError) as error:
            raise damaged(folder / CONFIG, error) from error
        system.record = about["record"]
        system._trained = cls._read(folder, tree, system.settings)
        return system

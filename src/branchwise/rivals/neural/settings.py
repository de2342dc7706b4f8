"""The settings that all neural rivals share."""

from __future__ import annotations

import os
from dataclasses import dataclass

from branchwise.rivals.settings import Settings


@dataclass(frozen=True, kw_only=True)
class NeuralSettings(Settings):
    """How words are read, and how long and how fast a network learns."""

    words: int = 30_000
    """How many different words are known at most; the most frequent are."""
    fewest: int | None = None
    """How often a word has to stand in the training documents; 3 where it is None, but 1 in a small corpus."""
    longest: int = 256
    """How many words of a document are read."""
    width: int = 200
    """Size of a word's vector, unless given vectors have another."""
    vectors: str | None = None
    """A file of word vectors to begin with, in the text format of word2vec or GloVe."""
    batch: int = 64
    """Documents a step."""
    epochs: int = 20
    """At most how often the documents are passed."""
    patience: int = 3
    """After how many passes without a better F1 or loss on the documents held out training ends."""
    rate: float = 0.001
    """Learning rate of Adam."""
    dropout: float = 0.5
    """Share of a layer's values left out in training."""
    device: str = "auto"
    """Where to compute: auto, cpu or cuda."""

    def __post_init__(self) -> None:
        if isinstance(self.vectors, os.PathLike):
            object.__setattr__(self, "vectors", os.fspath(self.vectors))
        super().__post_init__()

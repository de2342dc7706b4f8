"""Texts as runs of word numbers: the vocabulary, and many documents as two flat arrays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

PADDING, UNKNOWN, STOP = 0, 1, 2  # STOP stands for any marks that end a sentence
FIRST_WORD = 3
MANY = 1000  # documents from which on a word has to occur more than once
_PARTS = re.compile(r"\w+(?:['’.]\w+)*|[.!?。！？]+")


def split_words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, and a full stop for any marks that end a sentence."""
    for found in _PARTS.finditer(text):
        part = found.group()
        yield part.lower() if part[0] not in ".!?。！？" else "."


@dataclass(frozen=True, eq=False)
class Documents:
    """N documents as word numbers: document i is ``words[offsets[i] : offsets[i + 1]]``, never empty."""

    offsets: np.ndarray  # [N + 1] int64
    words: np.ndarray  # [total] int32

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> np.ndarray:
        """Number of words of every document, [N]."""
        return np.diff(self.offsets)

    def padded(self, rows: np.ndarray) -> np.ndarray:
        """Return the word numbers of some documents, filled up to the longest of them: [n, T] int64."""
        lengths = self.lengths[rows]
        filled = np.full((len(rows), int(lengths.max())), PADDING, np.int64)
        for line, row in zip(filled, rows.tolist(), strict=True):
            own = self.words[self.offsets[row] : self.offsets[row + 1]]
            line[: len(own)] = own
        return filled


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words that are known; word i has the number ``FIRST_WORD + i``."""

    words: list[str]

    @classmethod
    def learn(cls, texts: Iterable[str], n_texts: int, most: int, fewest: int | None) -> Vocabulary:
        """Return the most frequent words of some texts, the most frequent first."""
        fewest = (3 if n_texts >= MANY else 1) if fewest is None else fewest
        counts = Counter(word for text in texts for word in split_words(text))
        del counts["."]
        known = sorted(
            (word for word, count in counts.items() if count >= fewest), key=lambda w: (-counts[w], w)
        )
        return cls(known[:most])

    def __len__(self) -> int:
        return FIRST_WORD + len(self.words)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every word."""
        return {".": STOP} | {word: FIRST_WORD + at for at, word in enumerate(self.words)}

    def encode(self, texts: Iterable[str], longest: int) -> Documents:
        """Return the first words of every text; a text without any becomes one unknown word."""
        flat: list[int] = []
        offsets = [0]
        for text in texts:
            own = [
                self.numbers.get(word, UNKNOWN)
                for _, word in zip(range(longest), split_words(text), strict=False)
            ]
            flat += own or [UNKNOWN]
            offsets.append(len(flat))
        return Documents(np.array(offsets, np.int64), np.array(flat, np.int32))

"""Word vectors to begin with: drawn at random, or read from a file in the text format of word2vec or GloVe."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from branchwise.corpus.streams import Source
from branchwise.errors import CorpusError, ModelError
from branchwise.rivals.neural.vocabulary import PADDING, Vocabulary

SPREAD = 0.1  # of the values of vectors drawn at random


def draw_vectors(vocabulary: Vocabulary, width: int, seed: int, spread: float = SPREAD) -> np.ndarray:
    """Draw a vector for every word number, [V, D] float32; padding has zeros."""
    vectors = (
        np.random.default_rng(seed).normal(scale=spread, size=(len(vocabulary), width)).astype(np.float32)
    )
    vectors[PADDING] = 0
    return vectors


def read_vectors(path: str | Path, vocabulary: Vocabulary, seed: int) -> tuple[np.ndarray, int]:
    """Return a vector for every word number, [V, D] float32, and how many of them the file gave.

    A line holds a word and its numbers, with spaces between; a first line of two whole numbers, as word2vec
    writes it, is passed over. A word that the file has only with capitals takes that vector. Words that the
    file has not are drawn at random, as widely spread as those that it has.
    """
    given = _wanted_lines(path, vocabulary)
    if not given:
        raise ModelError(
            f"The vectors {path} have none of the documents' words: choose a file of their language."
        )
    known = np.stack(list(given.values()))
    vectors = draw_vectors(vocabulary, known.shape[1], seed, float(known.std()) or SPREAD)
    vectors[list(given)] = known
    return vectors, len(given)


def _wanted_lines(path: str | Path, vocabulary: Vocabulary) -> dict[int, np.ndarray]:
    """Return the vectors of the words that are known, by number."""
    if not Path(path).is_file():
        raise ModelError(f"There is no file of word vectors {path}: check the path.")
    found: dict[int, np.ndarray] = {}
    exact: set[int] = set()
    width = 0
    try:
        for line, text, fault in Source(path).lines():
            parts = text.rstrip().split(" ")
            if fault:
                raise _broken(path, line, f"{fault}; the binary format of word2vec is not read")
            if line == 1 and len(parts) == 2 and all(one.isdigit() for one in parts):
                continue
            width = width or len(parts) - 1
            if width < 1 or len(parts) <= width:
                raise _broken(
                    path, line, f"it has {max(len(parts) - 1, 0)} numbers, and other lines have {width}"
                )
            word = " ".join(parts[:-width])
            number = vocabulary.numbers.get(word, vocabulary.numbers.get(word.lower()))
            if number is None or number in exact or (number in found and word not in vocabulary.numbers):
                continue
            found[number] = _numbers(path, line, parts[-width:])
            if word in vocabulary.numbers:
                exact.add(number)
    except CorpusError as error:
        raise ModelError(str(error)) from error
    return found


def _numbers(path: str | Path, line: int, parts: list[str]) -> np.ndarray:
    try:
        numbers = np.array(parts, np.float32)
    except ValueError as error:
        raise _broken(path, line, str(error)) from error
    if not np.isfinite(numbers).all():
        raise _broken(path, line, "a value is not finite")
    return numbers


def _broken(path: str | Path, line: int, why: str) -> ModelError:
    return ModelError(f"The word vectors {path}, line {line}, cannot be read ({why}): give one word a line.")

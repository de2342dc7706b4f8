"""Texts that are the same, or nearly: equal words, or a Jaccard similarity of their word 3-grams above 0.8.

Candidates come from MinHash signatures that agree in a band (locality-sensitive hashing) and are verified
on the shingles themselves, which are computed again for the few texts concerned: memory stays near 200 bytes
a document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from branchwise.corpus.lengths import take_texts, text_blocks
from branchwise.corpus.shingles import SHINGLE_BITS, HashedWords
from branchwise.progress import Progress

SIMILAR = 0.8
BANDS, ROWS = 16, 4  # a pair at 0.8 shares a band with probability 0.9998, one at 0.3 with 0.12
PLAUSIBLE = 0.55  # agreement of signatures below which a pair is not verified: five deviations below 0.8
LAGS = 4  # neighbours each text is compared with in a bucket, beside its first: work stays linear
VERIFIED_AT_ONCE = 4_000_000  # shingles

_RANDOM = np.random.PCG64(19970611).random_raw(BANDS * ROWS + ROWS)
_MULTIPLIERS = (_RANDOM[: BANDS * ROWS] >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
_MIX = _RANDOM[BANDS * ROWS :] | np.uint64(1)


@dataclass(frozen=True)
class Duplicates:
    """Of every text the first one it repeats, itself where it repeats none."""

    exact: np.ndarray  # [N] int64: same words in the same order
    near: np.ndarray  # [N] int64: linked by pairs of similar texts; exact repeats too

    def groups(self, *, exact: bool) -> list[np.ndarray]:
        """Return the rows of every group of two or more, in order of its first row."""
        first = self.exact if exact else self.near
        order = np.argsort(first, kind="stable")
        cuts = np.flatnonzero(np.diff(first[order])) + 1
        return [group for group in np.split(order, cuts) if len(group) > 1]


def find_duplicates(texts: pa.ChunkedArray, similar: float = SIMILAR) -> Duplicates:
    """Find exact and near duplicates; a text without a word repeats none.

    Parameters
    ----------
    texts
        All texts, of all parts.
    similar
        The Jaccard similarity of word 3-grams from which two texts are near duplicates.
    """
    index = _Index.of(texts)
    exact = _first_of_equal(index.whole)
    near = exact.copy()
    distinct = np.flatnonzero((exact == np.arange(len(exact))) & (index.sizes > 0))
    with Progress("Comparing texts", BANDS, "bands") as progress:
        for band in range(BANDS):
            left, right = _same_bucket(index.bands[distinct, band])
            left, right = distinct[left], distinct[right]
            open_pairs = near[left] != near[right]
            left, right = left[open_pairs], right[open_pairs]
            agreement = (index.signatures[left] == index.signatures[right]).mean(axis=1)
            left, right = left[agreement >= PLAUSIBLE], right[agreement >= PLAUSIBLE]
            accepted = _similarity(texts, left, right, index.sizes) >= similar
            near = _join(near, left[accepted], right[accepted])
            progress.advance()
    return Duplicates(exact, near)


@dataclass(frozen=True)
class _Index:
    """What is kept of every text while duplicates are looked for."""

    whole: np.ndarray  # [N] uint64, hash of all words
    sizes: np.ndarray  # [N] int64, number of shingles
    bands: np.ndarray  # [N, BANDS] uint64, hash of each band of the signature
    signatures: np.ndarray  # [N, BANDS * ROWS] uint8, a byte of each minimum

    @classmethod
    def of(cls, texts: pa.ChunkedArray) -> _Index:
        n_texts = len(texts)
        whole, sizes = np.zeros(n_texts, np.uint64), np.zeros(n_texts, np.int64)
        bands = np.zeros((n_texts, BANDS), np.uint64)
        signatures = np.zeros((n_texts, BANDS * ROWS), np.uint8)
        start = 0
        with Progress("Hashing texts", n_texts) as progress:
            for block in text_blocks(texts):
                run = slice(start, start + len(block))
                words = HashedWords.of(block)
                whole[run] = words.whole_texts()
                bounds, shingles = words.shingles()
                sizes[run] = np.diff(bounds)
                minima = _minima(bounds, shingles)
                signatures[run] = (minima >> np.uint32(24)) ^ (minima >> np.uint32(8) & np.uint32(255))
                quads = minima.reshape(len(block), BANDS, ROWS).astype(np.uint64)
                bands[run] = ((quads ^ (quads << np.uint64(31))) * _MIX).sum(axis=2, dtype=np.uint64)
                start = run.stop
                progress.advance(len(block))
        return cls(whole, sizes, bands, signatures)


def _minima(bounds: np.ndarray, shingles: np.ndarray) -> np.ndarray:
    """Return the minimum of every text's shingles under each random permutation, [n, BANDS * ROWS] uint32."""
    minima = np.zeros((len(bounds) - 1, BANDS * ROWS), np.uint32)
    some = np.diff(bounds) > 0
    if some.any():
        starts = bounds[:-1][some]
        spread = shingles << np.uint32(32 - SHINGLE_BITS) | np.uint32(1)
        for column, multiplier in enumerate(_MULTIPLIERS):
            minima[some, column] = np.minimum.reduceat(spread * multiplier, starts)
    return minima


def _first_of_equal(hashes: np.ndarray) -> np.ndarray:
    """Return of every hash the first row that has it; 0, a text without words, equals nothing."""
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    rows = np.arange(len(hashes))
    return np.where(hashes == 0, rows, first[inverse])


def _same_bucket(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pair every entry with the first of its bucket and with its next neighbours there."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.ones(len(keys), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    place = np.arange(len(keys))
    first = np.maximum.accumulate(np.where(begins, place, 0))
    left, right = [first[place - first > LAGS]], [place[place - first > LAGS]]
    for lag in range(1, LAGS + 1):
        here = place[lag:][first[lag:] <= place[:-lag]]
        left.append(here - lag)
        right.append(here)
    return order[np.concatenate(left)], order[np.concatenate(right)]


def _similarity(texts: pa.ChunkedArray, left: np.ndarray, right: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the Jaccard similarity of every pair of texts."""
    found = [np.zeros(0)]
    for run in _runs(sizes[left] + sizes[right]):
        rows, place = np.unique(np.concatenate([left[run], right[run]]), return_inverse=True)
        matrix = _shingle_matrix(take_texts(texts, rows))
        own = np.diff(matrix.indptr)
        a, b = place[: len(place) // 2], place[len(place) // 2 :]
        common = np.asarray(matrix[a].multiply(matrix[b]).sum(axis=1)).ravel()
        found.append(common / (own[a] + own[b] - common))
    return np.concatenate(found)


def _runs(weights: np.ndarray) -> Iterator[slice]:
    """Cut pairs into runs of bounded weight, at least one pair each."""
    ends, start = np.cumsum(weights), 0
    while start < len(weights):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + VERIFIED_AT_ONCE, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


def _shingle_matrix(texts: pa.ChunkedArray) -> csr_array:
    """Return texts × shingles, one where a text has a shingle."""
    counts, columns = [], []
    for block in text_blocks(texts):
        bounds, shingles = HashedWords.of(block).shingles()
        counts.append(np.diff(bounds))
        columns.append(shingles.astype(np.int32))
    indices = np.concatenate(columns)
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int32)
    shape = (len(texts), 1 << SHINGLE_BITS)
    matrix = csr_array((np.ones(len(indices), np.int32), indices, indptr), shape=shape)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def _join(group: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Unite the groups of paired rows; a group is named by its first row."""
    if not len(left):
        return group
    n_rows = len(group)
    ones = np.ones(len(left), bool)
    links = coo_array((ones, (group[left], group[right])), shape=(n_rows, n_rows))
    component = connected_components(links, directed=False)[1][group]
    _, first, inverse = np.unique(component, return_index=True, return_inverse=True)
    return first[inverse]

"""Texts as hashed words and runs of words, computed on whole blocks of bytes: what duplicates are found by.

Case, white space and punctuation do not count. A word is a run of letters, digits and combining marks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

RUN = 3  # words in a shingle
SHINGLE_BITS = 30  # so that a shingle is a column of a sparse matrix with 32-bit indices

_RAW = np.random.PCG64(20211111).random_raw(256 + 8)
_OF_BYTE = _RAW[:256].copy()  # a random number a byte value
_ODD = _RAW[256:] | np.uint64(1)
_IS_WORD = np.zeros(256, bool)
_IS_WORD[[*range(ord("0"), ord("9") + 1), *range(ord("a"), ord("z") + 1), *range(128, 256)]] = True
_OF_BYTE[~_IS_WORD] = 0  # so that a sum over a word may run on to the next word's start


@dataclass(frozen=True)
class HashedWords:
    """The words of some texts: those of text i are ``words[bounds[i]:bounds[i + 1]]``."""

    bounds: np.ndarray  # [n + 1] int64
    words: np.ndarray  # [total] uint64

    @classmethod
    def of(cls, texts: pa.Array) -> HashedWords:
        """Cut texts into words and hash each, alike on every machine."""
        data, offsets = _normal_bytes(texts)
        inside = _IS_WORD[data]
        begins = inside.copy()
        begins[1:] &= ~inside[:-1]
        first = offsets[:-1][offsets[:-1] < offsets[1:]]
        begins[first] = inside[first]  # a word never runs on from one text to the next
        starts = np.flatnonzero(begins)
        bounds = np.searchsorted(starts, offsets)
        return cls(bounds, _finish(_sums(_OF_BYTE[data], starts, _ODD[0])))

    @property
    def counts(self) -> np.ndarray:
        """Number of words of every text, [n]."""
        return np.diff(self.bounds)

    def whole_texts(self) -> np.ndarray:
        """Return one hash a text over all its words in order, [n] uint64; 0 for a text without words."""
        hashes = np.zeros(len(self.bounds) - 1, np.uint64)
        some = self.counts > 0
        hashes[some] = _finish(_sums(self.words, self.bounds[:-1][some], _ODD[1]))
        return hashes

    def shingles(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the bounds of every text's shingles and the shingles, uint32; repeats are not taken out."""
        counts = np.maximum(self.counts - (RUN - 1), 0)
        bounds = np.concatenate([[0], np.cumsum(counts)])
        first = np.arange(bounds[-1]) + np.repeat(self.bounds[:-1] - bounds[:-1], counts)
        mixed = np.zeros(len(first), np.uint64)
        for place in range(RUN):
            mixed += self.words[first + place] * _ODD[2 + place]
        return bounds, (_finish(mixed) >> np.uint64(64 - SHINGLE_BITS)).astype(np.uint32)


def _normal_bytes(texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower-case UTF-8 of all texts end to end, and where each begins."""
    texts = pc.utf8_lower(pc.fill_null(texts.cast(pa.large_string()), ""))
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        texts = pc.utf8_normalize(texts, form="NFKC")
        texts = pc.replace_substring_regex(texts, r"[^\pL\pN\pM\x00-\x7F]+", " ")
    _, offset_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(data_buffer, np.uint8) if data_buffer is not None else np.zeros(0, np.uint8)
    return data[offsets[0] : offsets[-1]], offsets - offsets[0]


def _sums(values: np.ndarray, starts: np.ndarray, base: np.uint64) -> np.ndarray:
    """Return for every run of values the polynomial in ``base`` with them as coefficients, modulo 2^64.

    A run goes from its start to the next one's; whatever stands before the first start is left out.
    """
    if not len(starts):
        return np.zeros(0, np.uint64)
    values = values[starts[0] :]
    starts = starts - starts[0]
    lengths = np.diff(starts, append=len(values))
    place = np.arange(len(values)) - np.repeat(starts, lengths)
    powers = np.cumprod(np.full(int(lengths.max()), base))
    return np.add.reduceat(values * powers[place], starts)


def _finish(hashes: np.ndarray) -> np.ndarray:
    """Let every bit of a hash depend on all others, so that any of them can be taken."""
    hashes = (hashes ^ (hashes >> np.uint64(32))) * _ODD[6]
    hashes = (hashes ^ (hashes >> np.uint64(29))) * _ODD[7]
    return hashes ^ (hashes >> np.uint64(32))

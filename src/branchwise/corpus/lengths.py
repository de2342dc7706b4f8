"""How long texts are, in words and in a backbone's word pieces, without a Python step a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from branchwise.errors import CorpusError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PIECES_PER_WORD = 1.35  # of T5's vocabulary on plain English
BYTES_PER_PIECE = 4.3  # likewise; formulas and code have long "words" that fall into many pieces
BLOCK = 1 << 18  # bytes of text that are worked on at once: what is computed of them stays in the cache
ENCODED_AT_ONCE = 256


@dataclass(frozen=True)
class Spread:
    """Where the values of a quantity lie."""

    mean: float
    median: float
    p95: float
    max: int

    @classmethod
    def of(cls, values: np.ndarray) -> Self:
        """Return the spread of some values; all zero where there are none."""
        if not len(values):
            return cls(0.0, 0.0, 0.0, 0)
        median, p95 = np.percentile(values, [50, 95])
        return cls(float(values.mean()), float(median), float(p95), int(values.max()))

    def to_dict(self) -> dict[str, Any]:
        """Return the spread ready for JSON."""
        return asdict(self)


def text_blocks(texts: pa.ChunkedArray) -> Iterator[pa.Array]:
    """Cut texts into arrays of about ``BLOCK`` bytes, at least one text each, without copying them."""
    for chunk in texts.chunks:
        ends = np.cumsum(pc.fill_null(pc.binary_length(chunk), 0).to_numpy(zero_copy_only=False))
        start = 0
        while start < len(chunk):
            before = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, before + BLOCK, side="right")), start + 1)
            yield chunk.slice(start, stop - start)
            start = stop


def take_texts(texts: pa.ChunkedArray, rows: np.ndarray) -> pa.ChunkedArray:
    """Return the texts of ascending rows; unlike ``texts.take`` this does not copy all of them first."""
    ends = np.cumsum([0, *(len(chunk) for chunk in texts.chunks)])
    cuts = np.searchsorted(rows, ends)
    taken = [
        chunk.take(pa.array(rows[a:b] - start))
        for chunk, start, a, b in zip(texts.chunks, ends[:-1].tolist(), cuts[:-1], cuts[1:], strict=True)
        if a < b
    ]
    return pa.chunked_array([pa.chunked_array(taken, texts.type).combine_chunks()])


def word_counts(texts: pa.ChunkedArray) -> np.ndarray:
    """Count the runs of anything but white space in every text, [N]."""
    counts = [
        pc.count_substring_regex(block, r"\S+").to_numpy(zero_copy_only=False) for block in text_blocks(texts)
    ]
    return np.concatenate(counts).astype(np.int64) if counts else np.zeros(0, np.int64)


def estimated_pieces(texts: pa.ChunkedArray) -> np.ndarray:
    """Estimate the word pieces of every text, the end symbol included, from its words and its length."""
    by_length = pc.fill_null(pc.binary_length(texts), 0).to_numpy() / BYTES_PER_PIECE
    return np.ceil(np.maximum(word_counts(texts) * PIECES_PER_WORD, by_length)).astype(np.int64) + 1


def counted_pieces(texts: pa.ChunkedArray, tokenizer: Tokenizer) -> np.ndarray:
    """Count the word pieces of every text, with the symbols that the tokenizer adds."""
    sizes: list[int] = []
    for block in text_blocks(texts):
        strings = block.to_pylist()
        for start in range(0, len(strings), ENCODED_AT_ONCE):
            encoded = tokenizer.encode_batch_fast(strings[start : start + ENCODED_AT_ONCE])
            sizes.extend(len(one.ids) for one in encoded)
    return np.asarray(sizes, dtype=np.int64)


def open_tokenizer(tokenizer: str | Path | Tokenizer) -> Tokenizer:
    """Open a tokenizer.json, or the folder that holds one, so that it cuts and pads nothing."""
    from tokenizers import Tokenizer as Opened

    if isinstance(tokenizer, str | Path):
        path = Path(tokenizer)
        path = path / "tokenizer.json" if path.is_dir() else path
        if not path.is_file():
            raise CorpusError(
                f"There is no tokenizer {path}: name a tokenizer.json or a folder that holds one."
            )
        try:
            opened = Opened.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise CorpusError(
                f"{path} is not a tokenizer ({error}): name the tokenizer.json of the backbone."
            ) from error
    else:
        opened = Opened.from_str(tokenizer.to_str())  # a copy: the caller's own keeps its settings
    opened.no_truncation()
    opened.no_padding()
    return opened

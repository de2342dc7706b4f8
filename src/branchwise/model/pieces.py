"""Documents as word pieces: tokenised once, kept in a memory-mapped Arrow file, read a batch at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from branchwise.progress import Progress

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHUNK = 1024  # documents tokenised at a time, and stored together
END = "</s>"


@dataclass(frozen=True, eq=False)
class PieceStore:
    """The word pieces of N documents, each cut at the input limit and closed by the end piece."""

    chunks: Sequence[tuple[np.ndarray, np.ndarray]]  # of CHUNK documents each: offsets, pieces
    lengths: np.ndarray  # [N] int32, pieces of each document after the cut
    cut: int  # documents that were longer than the limit

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, row: int) -> np.ndarray:
        """Return the pieces of one document, from the file if that is where they are."""
        offsets, pieces = self.chunks[row // CHUNK]
        place = row % CHUNK
        return pieces[offsets[place] : offsets[place + 1]]

    def padded(self, rows: np.ndarray, width: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the pieces of some documents and which of them are real, both [B, S] int64.

        They are padded with 0, T5's padding piece, to the longest of them or to ``width``.
        """
        lengths = self.lengths[rows]
        size = int(lengths.max(initial=1)) if width is None else width
        real = np.arange(size) < lengths[:, None]
        input_ids = np.zeros((len(rows), size), np.int64)
        for place, row in enumerate(rows.tolist()):
            input_ids[place, : lengths[place]] = self[row]
        return input_ids, real.astype(np.int64)


def tokenise(
    texts: Iterable[str], n_texts: int, tokenizer: Tokenizer, limit: int, path: Path | None = None
) -> PieceStore:
    """Turn texts into word pieces; with ``path`` they go to that file, not to memory."""
    end = tokenizer.token_to_id(END)
    kind = pa.list_(pa.int32())
    arrays: list[Any] = []
    lengths = [np.zeros(0, np.int32)]
    cut = 0
    writer = pa.ipc.new_file(str(path), pa.schema([("pieces", kind)])) if path is not None else None
    try:
        with Progress("Tokenising", n_texts) as progress:
            for chunk in _chunks(texts):
                encoded = [one.ids for one in tokenizer.encode_batch(chunk, add_special_tokens=False)]
                cut += sum(len(one) >= limit for one in encoded)
                array = pa.array([[*one[: limit - 1], end] for one in encoded], kind)
                lengths.append(np.diff(array.offsets.to_numpy()))
                if writer is None:
                    arrays.append(array)
                else:
                    writer.write_batch(pa.record_batch([array], names=["pieces"]))
                progress.advance(len(chunk))
    finally:
        if writer is not None:
            writer.close()
    if path is not None:
        file = pa.ipc.open_file(pa.memory_map(str(path)))
        arrays = [file.get_batch(number).column(0) for number in range(file.num_record_batches)]
    chunks = [(one.offsets.to_numpy(), one.values.to_numpy()) for one in arrays]
    return PieceStore(chunks, np.concatenate(lengths), cut)


def _chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while chunk := list(itertools.islice(iterator, CHUNK)):
        yield chunk

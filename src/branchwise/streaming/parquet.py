"""Predictions as Parquet, which cannot grow in place: Arrow messages while it is unfinished, then one pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from branchwise.predicted import Predicted
from branchwise.streaming.forms import Chunk

GROUP_ROWS, GROUP_BYTES = 1 << 16, 1 << 26  # a row group has no more, give or take a chunk


class ArrowMessages:
    """One Arrow message a chunk, after that of the schema: together an Arrow stream, cut anywhere between them."""

    def __init__(self, scores: bool = True) -> None:
        self._scores = scores
        columns = [
            ("id", pa.string()),
            ("labels", pa.list_(pa.string())),
            ("paths", pa.list_(pa.list_(pa.string()))),
            *([("scores", pa.map_(pa.string(), pa.float64()))] if scores else []),
            ("invalid", pa.bool_()),
            ("confidence", pa.float64()),
            ("abstained", pa.bool_()),
        ]
        self._schema = pa.schema(columns)

    def encode(self, chunk: Chunk, first: bool) -> bytes:
        """Return the messages of a chunk."""
        rows = [self._row(*one) for one in chunk]
        message: bytes = pa.RecordBatch.from_pylist(rows, self._schema).serialize().to_pybytes()
        return self._schema.serialize().to_pybytes() + message if first else message

    def _row(self, name: str, one: Predicted) -> dict[str, Any]:
        row = {"id": name, "labels": one.labels, "paths": one.paths, "invalid": one.invalid}
        row |= {"confidence": one.confidence, "abstained": one.abstained}
        return row | {"scores": list(one.scores.items())} if self._scores else row


def to_parquet(messages: Path, target: Path) -> None:
    """Write an Arrow stream as a Parquet file, a row group at a time."""
    import pyarrow.parquet as pq

    with (
        pa.OSFile(str(messages)) as file,
        pa.ipc.open_stream(file) as stream,
        pq.ParquetWriter(str(target), stream.schema, compression="zstd") as writer,
    ):
        group: list[pa.RecordBatch] = []
        rows = size = 0
        for batch in stream:
            group.append(batch)
            rows, size = rows + batch.num_rows, size + batch.nbytes
            if rows >= GROUP_ROWS or size >= GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(group))
                group, rows, size = [], 0, 0
        if rows:
            writer.write_table(pa.Table.from_batches(group))

"""Documents as an Arrow table: in memory while they are few, else in a memory-mapped temporary file."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import pyarrow as pa

from branchwise.errors import CorpusError

IN_MEMORY = 64 << 20  # bytes of documents held in memory before they move to disk
BATCH_ROWS, BATCH_CHARACTERS = 1024, 4 << 20  # a record batch is written when it reaches either


class DocumentStore:
    """Takes documents one by one and gives them back as one table, in memory that does not grow with them.

    The temporary file has no name where the system allows that, so that nothing is left behind however the
    program ends.
    """

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.schema = pa.schema([(name, pa.large_string()) for name in columns])
        self._waiting: list[tuple[str, ...]] = []
        self._characters = 0
        self._batches: list[pa.RecordBatch] = []
        self._bytes = 0
        self._file: Any = None
        self._writer: Any = None

    def add(self, row: tuple[str, ...]) -> None:
        """Append one document, its values in the order of the columns."""
        self._waiting.append(row)
        self._characters += sum(map(len, row))
        if len(self._waiting) >= BATCH_ROWS or self._characters >= BATCH_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        columns = zip(*self._waiting, strict=True)
        arrays = [pa.array(column, pa.large_string()) for column in columns]
        batch = pa.record_batch(arrays, schema=self.schema)
        self._waiting, self._characters = [], 0
        self._bytes += batch.nbytes
        self._batches.append(batch)
        with _room():
            if self._writer is None and self._bytes > IN_MEMORY:
                self._file = tempfile.TemporaryFile(prefix="branchwise-")  # noqa: SIM115
                self._writer = pa.ipc.new_file(self._file, self.schema)
            if self._writer is not None:
                for batch in self._batches:
                    self._writer.write_batch(batch)
                self._batches = []

    def table(self) -> pa.Table:
        """Return everything that was added."""
        self._flush()
        if self._writer is None:
            return pa.Table.from_batches(self._batches, self.schema)
        with _room():
            self._writer.close()
            self._file.flush()
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)  # outlives the file's closing
        return pa.ipc.open_file(pa.py_buffer(mapped)).read_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CorpusError(
            f"The documents do not fit into the temporary folder {tempfile.gettempdir()} ({error}): free "
            "space there, or point TMPDIR to a larger disk."
        ) from error

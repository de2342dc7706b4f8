"""Rows of Parquet and .xlsx, one at a time, in memory that does not grow with them."""

from __future__ import annotations

from itertools import zip_longest

from branchwise.corpus.excel_text import unescaped
from branchwise.corpus.rows import BadRow, Numbered, checked_header
from branchwise.corpus.streams import CHUNK, Source
from branchwise.errors import CorpusError

_BATCH = 256  # rows of Parquet taken at a time


def parquet(source: Source) -> Numbered:
    """Yield the rows of a Parquet file, counted from 1."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with source.open() as stream, pq.ParquetFile(stream, buffer_size=CHUNK, pre_buffer=False) as file:
            checked_header(file.schema_arrow.names, source.name)
            for batch in file.iter_batches(batch_size=_BATCH):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise CorpusError(
            f"{source.name} cannot be read as Parquet after row {number} ({reason}): the file is damaged or "
            "cut short, fetch it again."
        ) from error


def excel(source: Source, bad: BadRow) -> Numbered:
    """Yield the rows of a workbook's first sheet below its header, with Excel's row numbers."""
    from openpyxl import load_workbook

    number = 0
    try:
        with source.open() as stream:
            sheet = load_workbook(stream, read_only=True, data_only=True).worksheets[0]
            sheet.reset_dimensions()  # some programs write a wrong size, which would cut rows short
            header: list[str] = []
            for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
                cells = [unescaped(cell) if isinstance(cell, str) else cell for cell in cells]
                filled = [cell for cell in cells if cell is not None]
                if not filled:
                    continue
                if not header:
                    names = [f"column {i}" if cell is None else str(cell) for i, cell in enumerate(cells, 1)]
                    header = checked_header(names, f"{source.name}, row {number}")
                elif any(cell is not None for cell in cells[len(header) :]):
                    columns = "one column" if len(header) == 1 else f"{len(header)} columns"
                    detail = f"there are cells to the right of the header's {columns}"
                    advice = (
                        "name their columns in the header, and delete what stands above it, such as a title"
                    )
                    bad(number, detail, advice, filled)
                else:
                    yield number, dict(zip_longest(header, cells[: len(header)]))
    except CorpusError:
        raise
    except Exception as error:  # openpyxl lets through whatever zip, XML and its own parsers raise
        reason = str(error) or type(error).__name__
        raise CorpusError(
            f"{source.name} cannot be read as .xlsx after row {number} ({reason}): save it again from Excel."
        ) from error

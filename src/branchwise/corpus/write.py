"""Documents to files: JSON lines, CSV, TSV, Parquet or .xlsx, the text forms plain, gzip or zstd."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from branchwise.corpus.excel_text import escaped
from branchwise.corpus.records import format_of
from branchwise.corpus.streams import open_output
from branchwise.errors import CorpusError
from branchwise.progress import Progress

if TYPE_CHECKING:
    from branchwise.corpus.corpus import Corpus

ROWS = 1024
EXCEL_ROWS, EXCEL_CELL = 1_048_576, 32_767  # what one sheet and one cell hold


def write_documents(
    corpus: Corpus,
    path: str | Path,
    *,
    label_separator: str = ";",
    closed: bool = False,
    format: str | None = None,
) -> None:
    """Write a corpus; the file appears only when it is complete.

    Parameters
    ----------
    corpus
        What to write.
    path
        Where; the suffix names the format, ``-`` is standard output.
    label_separator
        What stands between labels where a format has one cell for them.
    closed
        Write every ancestor too, not only the labels as they were given.
    format
        The format where the suffix does not name it.
    """
    kind = format_of(str(path), format)
    with open_output(path) as stream, Progress(f"Writing {Path(path).name}", len(corpus)) as progress:
        batches = _batches(corpus, closed, progress)
        if kind == "jsonl":
            _json_lines(batches, stream)
        elif kind == "parquet":
            _parquet(corpus, batches, stream)
        elif kind == "xlsx":
            _excel(corpus, batches, stream, label_separator, path)
        else:
            _delimited(corpus, batches, stream, label_separator, "," if kind == "csv" else "\t")


def _batches(corpus: Corpus, closed: bool, progress: Progress) -> Iterator[list[dict[str, Any]]]:
    sets = corpus.labels if closed else corpus.given
    start = 0
    for batch in corpus.documents.to_batches(max_chunksize=ROWS):
        rows = batch.to_pylist()
        labels = sets.take(range(start, start + len(rows))).to_ids(corpus.taxonomy)
        for row, one in zip(rows, labels, strict=True):
            row["labels"] = list(one)
        yield rows
        start += len(rows)
        progress.advance(len(rows))


def _json_lines(batches: Iterator[list[dict[str, Any]]], stream: Any) -> None:
    for rows in batches:
        stream.write("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())


def _joined(row: dict[str, Any], separator: str) -> dict[str, Any]:
    clash = next((label for label in row["labels"] if separator in label), None)
    if clash is not None:
        raise CorpusError(
            f"The label {clash!r} of document {row['id']!r} holds the label separator {separator!r}: choose "
            "another one, or write JSON lines or Parquet."
        )
    return row | {"labels": separator.join(row["labels"])}


def _delimited(
    corpus: Corpus, batches: Iterator[list[dict[str, Any]]], stream: Any, separator: str, delimiter: str
) -> None:
    lines: list[str] = []
    # Quoting what holds "\r" takes a line terminator with "\r" in it, which is then taken off again.
    writer = csv.writer(SimpleNamespace(write=lines.append), delimiter=delimiter, lineterminator="\r\n")
    writer.writerow([*corpus.documents.column_names, "labels"])
    for rows in batches:
        writer.writerows(_joined(row, separator).values() for row in rows)
        stream.write("".join(line[:-2] + "\n" for line in lines).encode())
        lines.clear()


def _parquet(corpus: Corpus, batches: Iterator[list[dict[str, Any]]], stream: Any) -> None:
    import pyarrow.parquet as pq

    schema = corpus.documents.schema.append(pa.field("labels", pa.list_(pa.string())))
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for rows in batches:
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema))


def _excel(
    corpus: Corpus, batches: Iterator[list[dict[str, Any]]], stream: Any, separator: str, path: str | Path
) -> None:
    from openpyxl import Workbook

    if len(corpus) >= EXCEL_ROWS:
        raise CorpusError(
            f"{path} cannot hold {len(corpus):,} documents, as a sheet has {EXCEL_ROWS:,} rows: write .csv."
        )
    book = Workbook(write_only=True)
    sheet = book.create_sheet("documents")
    sheet.append([*corpus.documents.column_names, "labels"])
    try:
        for rows in batches:
            for row in rows:
                sheet.append(
                    [_excel_cell(sheet, text, row["id"]) for text in _joined(row, separator).values()]
                )
    except BaseException:
        sheet.close()  # else openpyxl complains on standard error when the sheet is thrown away
        raise
    book.save(stream)


def _excel_cell(sheet: Any, text: str, document: str) -> Any:
    from openpyxl.cell import WriteOnlyCell

    text = escaped(text)
    if len(text) > EXCEL_CELL:
        raise CorpusError(
            f"The document {document!r} is longer than the {EXCEL_CELL:,} characters an Excel cell holds: "
            "write .csv, .jsonl or .parquet."
        )
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"  # else a text that begins with = becomes a formula
    return cell

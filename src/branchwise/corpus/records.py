"""Rows of a document file as plain dictionaries, whatever the format, one at a time with their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from branchwise.corpus import table_rows, text_rows
from branchwise.corpus.rows import BadRow, Numbered, Record
from branchwise.corpus.streams import COMPRESSIONS, STANDARD, Source, data_suffix
from branchwise.errors import CorpusError

__all__ = ["FORMATS", "Record", "format_of", "place", "read_records"]

FORMATS = ("jsonl", "csv", "tsv", "parquet", "xlsx")
_BY_SUFFIX = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv"} | {
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}
_LINELESS = ("parquet", "xlsx")


def format_of(path: str, chosen: str | None = None) -> str:
    """Return the format of a file: as chosen, else by its suffix; JSON lines on standard input and pipes."""
    is_pipe = path == STANDARD or (not data_suffix(path) and Path(path).is_fifo())
    kind = chosen or ("jsonl" if is_pipe else _BY_SUFFIX.get(data_suffix(path)))
    compressions = sum(suffix.lower() in COMPRESSIONS for suffix in Path(path).suffixes[-2:])
    if compressions > (0 if kind in _LINELESS else 1):
        within = f", for {kind} is compressed within" if kind in _LINELESS else ""
        raise CorpusError(f"{path} is compressed twice: take the last suffix away{within}.")
    if chosen is not None and chosen not in FORMATS:
        raise CorpusError(f"There is no document format {chosen!r}: choose one of {', '.join(FORMATS)}.")
    if kind is None:
        raise CorpusError(
            f"{path} has the suffix {data_suffix(path) or '(none)'}, which names no document format: use one "
            f"of {', '.join(_BY_SUFFIX)} (the text forms also with .gz or .zst), or say which format it is."
        )
    return kind


def place(source: Source, number: int, chosen: str | None = None) -> str:
    """Say where a row stands, for errors: ``train.jsonl, line 7``."""
    unit = "row" if format_of(source.path, chosen) in _LINELESS else "line"
    return f"{source.name}, {unit} {number}"


def read_records(source: Source, chosen: str | None = None, on_bad_row: BadRow | None = None) -> Numbered:
    """Yield every row of a source with its number.

    Parameters
    ----------
    source
        The input.
    chosen
        Its format where the suffix does not say it.
    on_bad_row
        Told of every row that cannot be read, which is then left out; without it such a row is an error.
    """

    def refuse(number: int, detail: str, advice: str, content: Any) -> None:  # noqa: ARG001
        raise CorpusError(f"{place(source, number, chosen)}: {detail}; {advice}.")

    kind = format_of(source.path, chosen)
    bad = on_bad_row or refuse
    if kind == "jsonl":
        return text_rows.json_lines(source, bad)
    if kind in ("csv", "tsv"):
        return text_rows.delimited(source, "\t" if kind == "tsv" else None, bad)
    if source.path == STANDARD:
        raise CorpusError(f"The format {kind} cannot come from standard input: save it to a file first.")
    return table_rows.parquet(source) if kind == "parquet" else table_rows.excel(source, bad)

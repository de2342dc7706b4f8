"""A small tree, and document files in every format, for the tests of reading and writing."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from branchwise import Taxonomy

TREE = Taxonomy.from_nodes(
    ["cs", "cs.AI", "cs.LG", "stat", "stat.ML", "5"],
    [None, "cs", "cs", None, "stat", None],
    [
        "Computer Science",
        "Artificial Intelligence",
        "Machine Learning",
        "Statistics",
        "Machine Learning",
        "Five",
    ],
)
TEXT_FORMS = ("jsonl", "csv", "tsv")
FORMATS = (*TEXT_FORMS, "parquet", "xlsx")
SUFFIXES = [f".{form}{packed}" for form in TEXT_FORMS for packed in ("", ".gz", ".zst")] + [
    ".parquet",
    ".xlsx",
]

Rows = list[dict[str, Any]]
ROWS: Rows = [
    {"id": "a", "text": "One learns.", "labels": ["cs.AI", "stat.ML"]},
    {"id": "b", "text": "Two count.", "labels": ["stat"]},
    {"id": "c", "text": "Three have none.", "labels": []},
]


def json_lines(rows: Rows) -> bytes:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write_rows(path: Path, rows: Rows, separator: str = ";") -> Path:
    """Write rows as a user's own program would, without any of ours; the suffix names the form."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    flat = [{name: _cell(row.get(name), separator) for name in columns} for row in rows]
    if ".parquet" in path.suffixes:
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif ".xlsx" in path.suffixes:
        book = openpyxl.Workbook()
        sheet: Any = book.active
        sheet.append(columns)
        for row in flat:
            sheet.append(list(row.values()))
        book.save(path)
    elif ".jsonl" in path.suffixes:
        path.write_bytes(packed(json_lines(rows), path))
    else:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, columns, dialect="excel" if ".csv" in path.suffixes else "excel-tab")
        writer.writeheader()
        writer.writerows(flat)
        path.write_bytes(packed(text.getvalue().encode(), path))
    return path


def packed(data: bytes, path: Path) -> bytes:
    """Compress bytes as a path's suffix says."""
    if path.suffix == ".gz":
        return gzip.compress(data)
    return pa.compress(data, codec="zstd", asbytes=True) if path.suffix == ".zst" else data


def _cell(value: Any, separator: str) -> Any:
    return separator.join(map(str, value)) if isinstance(value, list) else value

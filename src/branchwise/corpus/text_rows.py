"""Rows of JSON lines, CSV and TSV, one at a time; a bad one is handed over and the next one read."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from branchwise.corpus.rows import BadRow, Numbered, checked_header, kind_of
from branchwise.corpus.streams import Source
from branchwise.errors import CorpusError

_DELIMITERS = ",;\t|"
_LONGEST_CELL = 2**31 - 1
Fault = tuple[str, str]  # what is wrong, what to do
_ENCODING_ADVICE = "save the file as UTF-8, or name its encoding, for example --encoding cp1252 or utf-16"


def json_lines(source: Source, bad: BadRow) -> Numbered:
    """Yield the object of every line that is not blank."""
    decode = json.JSONDecoder().decode
    begun = False
    for number, line, fault in source.lines():
        if not line or line.isspace():
            continue
        record: Any = None
        wrong: Fault | None = (fault, _ENCODING_ADVICE) if fault else None
        if wrong is None:
            try:
                record = decode(line)
            except (ValueError, RecursionError) as error:
                wrong = f"this is not JSON ({_reason(error)})", "write one JSON object a line"
            else:
                wrong = _not_a_record(record, line)
        if wrong is None:
            yield number, record
        elif not begun and line.strip() in ("[", "{", "[{"):
            raise CorpusError(
                f"{source.name}, line {number} begins a JSON document of several lines: write one object a "
                "line instead (for a list, jq -c '.[]' does it)."
            )
        else:
            bad(number, *wrong, line)
        begun = True


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"


def _not_a_record(value: Any, line: str) -> Fault | None:
    if not isinstance(value, dict):
        advice = 'write one object a line, for example {"id": "1", "text": "…", "labels": ["a"]}'
        return f"this is {kind_of(value)}, not a JSON object", advice
    if ("\\ud" in line or "\\uD" in line) and not _is_unicode(value):
        return "this holds half of a surrogate pair, which is no character", "write it again in valid Unicode"
    return None


def _is_unicode(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Lines:
    """Lines for the csv module, which remember how far it has read and what was wrong on the way."""

    def __init__(self, source: Source) -> None:
        lines = source.lines()
        head = next((one for one in lines if one[1].strip()), None)
        self.first = head[1] if head else ""  # the header, whose look tells the delimiter
        self.number = head[0] - 1 if head else 0
        self.fault = ""
        self._lines = chain([head] if head else [], lines)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number, text, fault = next(self._lines)
        self.fault = self.fault or fault
        return text + "\n"


def delimited(source: Source, delimiter: str | None, bad: BadRow) -> Numbered:
    """Yield the rows below the header by its names; without a delimiter the header tells it."""
    lines = _Lines(source)
    rows = _cells(lines, delimiter or guess_delimiter(lines.first))
    number, header, fault = next(rows, (0, [], None))
    where = f"{source.name}, line {number}"
    if fault is None and any("\0" in name for name in header):
        fault = "the header holds NUL bytes, as UTF-16 does", _ENCODING_ADVICE
    if fault is not None:
        raise CorpusError(f"{where}: {fault[0]}; {fault[1]}.")
    header = checked_header(header, where)
    for number, cells, fault in rows:
        if fault is None and len(cells) != len(header):
            fault = (
                f"there are {len(cells)} cells where the header has {len(header)}",
                "put quotes around cells that hold the delimiter or a line feed",
            )
        if fault is None:
            yield number, dict(zip(header, cells, strict=True))
        else:
            bad(number, *fault, cells)


def _cells(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str], Fault | None]]:
    """Yield every row that is not blank with the number of its first line."""
    csv.field_size_limit(_LONGEST_CELL)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        number = lines.number + 1
        lines.fault = ""
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            advice = "close every quoted cell, double the quotes within, and end every line with a line feed"
            wrong = (f"this is not valid CSV ({error})", advice)
            yield number, [], (lines.fault, _ENCODING_ADVICE) if lines.fault else wrong
            continue
        if lines.fault:
            yield number, cells, (lines.fault, _ENCODING_ADVICE)
        elif cells:
            yield number, cells, None


def guess_delimiter(header: str) -> str:
    """Return the likeliest delimiter of a header line: the most frequent of comma, semicolon, tab and bar."""
    return max(_DELIMITERS, key=re.sub('"[^"]*"', "", header).count)

"""The rows of WOS-46985 as HDLTex hands them out: Data.xlsx, or a Data.txt that somebody saved from it in Excel."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from branchwise.corpus.excel_text import unescaped
from branchwise.corpus.sources.archives import Member, members
from branchwise.corpus.sources.benchmark import Watch
from branchwise.errors import CorpusError

COLUMNS = ("Y1", "Y2", "Domain", "area", "Abstract")
NAMELESS = ("x.txt", "data.xls")  # found where Data.xlsx is not: no names, and the format of old Excel
_BEGINS = re.compile(r"\s*\d+\s*\t\s*\d+\s*\t\s*\d+\s*\t")  # Y1, Y2 and Y, or a line goes on with an abstract
_COPY = re.compile(r" \(\d+\)(?=\.)")  # what browsers put into the name of a second download
_STRAIGHT = str.maketrans("‘’“”\xa0", "''\"\" ")


@dataclass(frozen=True, slots=True)
class Row:
    """One paper."""

    code: tuple[str, str]
    """Y1 and Y2, the numbers of domain and area; not every area has one of its own."""
    domain: str
    area: str
    text: str


def read_rows(source: Path, watch: Watch) -> list[Row]:
    """Return the rows of the first Data.xlsx or Data.txt that a source holds, in its order."""
    others: list[str] = []
    for member in members(source, lambda name: _base(name) in (*_READERS, *NAMELESS), watch.progress):
        reader = _READERS.get(_base(member.name))
        if reader is not None:
            return list(_rows(member.name, reader(member, watch)))
        others.append(member.name)
    if others:
        raise CorpusError(
            f"{source} holds {others[0]}, where labels have no names or which only old Excel reads, but no "
            "Data.xlsx: add Meta-data/Data.xlsx of the same download, or save Data.xls as .xlsx."
        )
    raise CorpusError(
        f"{source} holds neither Data.xlsx nor Data.txt: give the folder or zip of HDLTex's Web of Science "
        "dataset with its folder Meta-data."
    )


def plain(name: str) -> str:
    """Return a label's name as the taxonomy writes it: straight quotes, single spaces, none around it."""
    return " ".join(name.translate(_STRAIGHT).split())


def _base(name: str) -> str:
    return _COPY.sub("", PurePosixPath(name).name.lower())


def _rows(where: str, lines: Iterator[list[str]]) -> Iterator[Row]:
    header = [name.strip().casefold() for name in next(lines, [])]
    missing = [name for name in COLUMNS if name.casefold() not in header]
    if missing:
        raise CorpusError(
            f"{where} has no column {' and no column '.join(missing)} in its first line: use the file as HDLTex "
            "hands it out, or save it from Excel as tab-delimited text."
        )
    places = [header.index(name.casefold()) for name in COLUMNS]
    for cells in lines:
        y1, y2, domain, area, text = (cells[at] if at < len(cells) else "" for at in places)
        yield Row((y1.strip(), y2.strip()), plain(domain), plain(area), " ".join(text.split()))


def _excel(member: Member, watch: Watch) -> Iterator[list[str]]:
    from openpyxl import load_workbook

    number = 0
    try:
        book = load_workbook(io.BytesIO(member.read()), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # some programs write a wrong size, which would cut rows short
        for cells in sheet.iter_rows(values_only=True):
            number += 1
            watch.progress.advance(0)  # nobody knows how far along the file this is, but it goes on
            if any(cell is not None for cell in cells):
                yield [_text(cell) for cell in cells]
    except CorpusError:
        raise
    except Exception as error:  # openpyxl lets through whatever zip, XML and its own parsers raise
        raise CorpusError(
            f"{member.name} cannot be read as .xlsx after row {number} ({error}): fetch it again."
        ) from error


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return unescaped(cell) if isinstance(cell, str) else str(cell)


def _tabs(member: Member, watch: Watch) -> Iterator[list[str]]:
    """Yield the cells of every row; a tab within an abstract, the last column, is part of it, as is a line end."""
    lines = iter(_decoded(member, watch).replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    header = next(lines).split("\t")
    yield header
    row: list[str] = []
    for line in chain(lines, ("0\t0\t0\t",)):  # the last stands for the end of the file
        if _BEGINS.match(line):
            if row:
                yield [_unquoted(cell) for cell in row]
            row = line.split("\t", len(header) - 1)
        elif row:
            row[-1] += " " + line


def _decoded(member: Member, watch: Watch) -> str:
    """Decode what Excel may have written: UTF-8, UTF-16 with its mark, or the code page of Windows."""
    data = member.read()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        watch.note(f"{member.name} is not UTF-8 and was read as Windows-1252.")
        return data.decode("cp1252", "replace")


def _unquoted(cell: str) -> str:
    """Undo the quotes that Excel puts around a cell with commas or quotes."""
    bare = cell.strip()
    inner = bare[1:-1]
    if len(bare) > 1 and bare[0] == bare[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


_READERS: dict[str, Callable[[Member, Watch], Iterator[list[str]]]] = {
    "data.xlsx": _excel,
    "data.txt": _tabs,
}

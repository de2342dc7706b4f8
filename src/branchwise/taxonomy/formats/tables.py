"""Tables, .tsv and .csv: one label a row, with the columns id and parent, and name, synonyms and copies.

Ids and parents are stripped of surrounding white space; names are kept as they stand. Other columns are
passed over. Both suffixes follow the rules of CSV, so a quoted cell may hold the delimiter, quotes and line
ends; synonyms and copies are lists, their parts separated by ``|``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.formats.nodes import Nodes, check_copies, parent_ids
from branchwise.taxonomy.formats.source import Source, write_text
from branchwise.taxonomy.tree import Taxonomy

DELIMITERS = {".tsv": "\t", ".csv": ","}


def read(path: Path) -> Taxonomy:
    """Read a table whose header names its columns; the delimiter is tab, comma or semicolon."""
    source = Source.read(path)
    delimiter, column = _header(source)
    nodes, lines = Nodes(source), []
    rows = _rows(source, delimiter)
    _, header = next(rows)
    at_id, at_parent = column["id"], column["parent"]
    at_name, at_synonyms, at_copies = (column.get(name) for name in ("name", "synonyms", "copies"))
    for line, cells in rows:
        if len(cells) != len(header):
            raise TaxonomyError(
                f"{source.at(line)}, has {len(cells)} cells where the header has {len(header)}: give every "
                "row as many cells as the header, and put cells with the delimiter in quotes."
            )
        label = cells[at_id].strip()
        nodes.add(
            label,
            cells[at_parent].strip(),
            "" if at_name is None else cells[at_name],
            () if at_synonyms is None else split_list(cells[at_synonyms]),
        )
        lines.append(line)
        if at_copies is not None and cells[at_copies].strip():
            nodes.copies[label] = split_list(cells[at_copies])
    return nodes.build(lambda row: source.at(lines[row]))


def write(tree: Taxonomy, path: Path) -> None:
    """Write a table in canonical order, with synonyms and copies only where the tree has any."""
    check_copies(tree, path)
    for label in tree.ids:
        if label != label.strip():
            raise TaxonomyError(
                f"The id {label!r} begins or ends with white space, which {path} cannot hold: "
                "write a .json file, or change the id."
            )
    columns: dict[str, Iterable[str]] = {
        "id": tree.ids,
        "parent": (parent or "" for parent in parent_ids(tree)),
        "name": tree.names,
    }
    if any(tree.synonyms):
        columns["synonyms"] = map(join_list, tree.synonyms)
    if tree.copies:
        columns["copies"] = (join_list(tree.copies.get(label, ())) for label in tree.ids)
    delimiter = DELIMITERS[path.suffix.lower()]
    # Not csv.writer, which leaves a carriage return and a leading blank bare; csv.reader needs both quoted.
    needs_quotes = re.compile(f'^ |[{delimiter}"\r\n]')

    def line(cells: Iterable[str]) -> str:
        shown = (
            f'"{one.replace(chr(34), chr(34) * 2)}"' if needs_quotes.search(one) else one for one in cells
        )
        return delimiter.join(shown) + "\n"

    write_text(path, line(columns) + "".join(map(line, zip(*columns.values(), strict=True))))


def join_list(parts: Sequence[str]) -> str:
    r"""Join parts with ``|``; a backslash goes before a bar, a backslash, and white space at either end."""
    escaped = (re.sub(r"[\\|]", r"\\\g<0>", part) for part in parts)
    return "|".join(re.sub(r"^\s|\s\Z", r"\\\g<0>", part) for part in escaped)


def split_list(cell: str) -> list[str]:
    """Take apart what :func:`join_list` joined, or what a person wrote with blanks around the bars."""
    if "\\" not in cell:
        return [part for part in map(str.strip, cell.split("|")) if part]
    parts: list[list[str]] = [[]]
    for piece in re.findall(r"\\[\\|\s]|.", cell, re.DOTALL):
        if piece == "|":
            parts.append([])
        else:
            parts[-1].append(piece)
    return [text for text in map(_unescape, parts) if text]


def _unescape(pieces: list[str]) -> str:
    while pieces and pieces[0].isspace():
        del pieces[0]
    while pieces and pieces[-1].isspace():
        del pieces[-1]
    return "".join(piece[-1] for piece in pieces)


def _header(source: Source) -> tuple[str, dict[str, int]]:
    """Find the delimiter under which the first row names the columns, and each column's place."""
    own = DELIMITERS[source.path.suffix.lower()]
    for delimiter in sorted("\t,;", key=lambda one: one != own):
        try:
            line, cells = next(_rows(source, delimiter))
        except TaxonomyError:  # quotes that make no sense with this delimiter
            continue
        names = [cell.strip().lower() for cell in cells]
        if not {"id", "parent"} <= set(names):
            continue
        for name in ("id", "parent", "name", "synonyms", "copies"):
            if names.count(name) > 1:
                raise TaxonomyError(
                    f"The header ({source.at(line)}) has the column {name!r} twice: keep one of them."
                )
        return delimiter, {name: place for place, name in enumerate(names)}
    start = source.text.lstrip().splitlines()[0]
    raise TaxonomyError(
        f"{source.path} has no header: its first line must name the columns id and parent (and may name "
        f"name, synonyms and copies), separated by tabs, commas or semicolons, but it is {start[:80]!r}."
    )


def _rows(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the line it begins on."""
    text = io.StringIO(source.text, newline="")
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise TaxonomyError(
                f"The row that begins in {source.at(line)}, cannot be read ({error}): put a cell that begins "
                "with a quote in quotes, and double the quotes inside it."
            ) from error
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield line, cells

"""Which fields of a record hold the id, the text and the labels, for our own shape and well-known others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from branchwise.corpus.rows import Record, kind_of
from branchwise.errors import CorpusError

PATH_SEPARATOR = ">"  # between the parts of a label that is a path, where nobody names another


@dataclass(frozen=True)
class Fields:
    """Where a document's parts stand in a record.

    Parameters
    ----------
    text
        Field of the text; several are joined by a line feed, for example title and abstract. None at all
        reads ids and labels only.
    labels
        Field of the labels. Several fields are the levels of one path: Category, Subcategory. None reads
        documents without labels.
    id
        Field of the id; None numbers the documents where the records have no field ``id``.
    label_separator
        What stands between the labels of one cell of text.
    path_separator
        What stands between the parts of one label that is a path; ``>`` as in "A > B > C" where None.
    keep
        Further fields to carry along, for example the one to split by.
    """

    text: tuple[str, ...] = ("text",)
    labels: tuple[str, ...] | None = ("labels",)
    id: str | None = None
    label_separator: str = ";"
    path_separator: str | None = None
    keep: tuple[str, ...] = ()

    @property
    def is_default(self) -> bool:
        """Whether text and labels stand where nobody named another place."""
        return self.text in ((), ("text",)) and self.labels in (None, ("labels",))


def recognise(fields: Fields, first: Record) -> Fields:
    """Return the fields of a file, seen by its first record: HiAGM's and NeuralClassifier's are known."""
    if not fields.is_default or "text" in first or (not fields.text and "labels" in first):
        return fields
    if "token" in first and (fields.labels is None or "label" in first):
        return replace(fields, text=fields.text and ("token",), labels=fields.labels and ("label",))
    if "doc_token" in first and (fields.labels is None or "doc_label" in first):
        separator = fields.path_separator or "--"
        labels = fields.labels and ("doc_label",)
        text = fields.text and ("doc_token",)
        return replace(fields, text=text, labels=labels, path_separator=separator)
    return fields


def require_fields(fields: Fields, record: Record, where: str) -> None:
    """Say which named field a file's first record lacks, and which fields it has."""
    wanted = [("text", name) for name in fields.text]
    wanted += [("label", name) for name in fields.labels or ()]
    wanted += [("keep", name) for name in fields.keep]
    wanted += [("id", fields.id)] if fields.id is not None else []
    for role, name in wanted:
        if name not in record:
            has = ", ".join(map(str, record)) or "none"
            raise CorpusError(
                f"{where} has no field {name!r}; it has {has}: name the right one with --{role}-field."
                if role != "keep"
                else f"{where} has no field {name!r} to carry along; it has {has}."
            )


def plain_text(value: Any) -> Any:
    """Return a field's text, None where there is none, or the value itself where it is no text."""
    if isinstance(value, list) and all(isinstance(token, str) for token in value):
        value = " ".join(value)
    if isinstance(value, str):
        return value if value and not value.isspace() else None
    return None if is_nothing(value) else value


def plain_name(value: Any) -> str:
    """Return an id, a label or a kept value as a string, empty where there is nothing.

    Excel knows no whole numbers and pandas makes floats of them, so 7.0 is written 7.
    """
    if isinstance(value, str):
        return value
    if is_nothing(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def is_nothing(value: Any) -> bool:
    """Say whether a value stands for an empty field: null, or the NaN that pandas writes for it."""
    return value is None or (isinstance(value, float) and value != value)


class LabelCells:
    """Takes the labels of one record apart.

    A label comes out as an id, or as a tuple of parts where it is a path.
    """

    def __init__(self, fields: Fields, is_label: Callable[[str], bool]) -> None:
        self._names = fields.labels or ()
        self._separator = fields.label_separator
        self._path = fields.path_separator or PATH_SEPARATOR
        self._is_label = is_label

    def of(self, record: Record) -> list[str | tuple[str, ...]]:
        """Return a record's labels; raise ValueError with the reason where a cell cannot hold labels."""
        if len(self._names) > 1:
            return self._path_columns(record)
        labels: list[str | tuple[str, ...]] = []
        for name in self._names:
            value = record.get(name)
            if isinstance(value, list):
                for cell in value:
                    labels += self._split(_label_text(cell), "")
            else:
                labels += self._split(_label_text(value), self._separator)
        return labels

    def _split(self, text: str, separator: str) -> list[str | tuple[str, ...]]:
        """Return the labels of one cell; a known label is never taken apart, whatever stands in it."""
        if self._is_label(text):
            return [text]
        parts = (part.strip() for part in text.split(separator)) if separator else (text,)
        return [self._as_path(part) for part in parts if part]

    def _as_path(self, label: str) -> str | tuple[str, ...]:
        if self._path not in label or self._is_label(label):
            return label
        return tuple(part.strip() for part in label.split(self._path))

    def _path_columns(self, record: Record) -> list[str | tuple[str, ...]]:
        parts = [_label_text(record.get(name)) for name in self._names]
        filled = [part for part in parts if part]
        if parts[: len(filled)] != filled:
            gap = self._names[parts.index("")]
            raise ValueError(f"the column {gap!r} is empty though a deeper one is not")
        return [tuple(filled)] if filled else []


def _label_text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool) or not (isinstance(cell, int | float) or cell is None):
        raise ValueError(f"a label is {kind_of(cell)} ({str(cell)[:40]}), not a string")
    return plain_name(cell).strip()

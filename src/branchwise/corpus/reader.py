"""From files to documents, one at a time: fields found, policies applied, every problem with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from branchwise.corpus.labelling import Labelling
from branchwise.corpus.policies import Inspector
from branchwise.corpus.records import place, read_records
from branchwise.corpus.rows import Record, kind_of
from branchwise.corpus.shapes import Fields, LabelCells, plain_name, plain_text, recognise, require_fields
from branchwise.corpus.streams import Source
from branchwise.errors import CorpusError
from branchwise.progress import Progress


class Document(NamedTuple):
    """One document as it was read; ``labels`` are positions as given, not yet closed upwards."""

    id: str
    text: str
    labels: tuple[int, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class Input:
    """Where documents come from and how their records are laid out.

    Parameters
    ----------
    paths, fields, format, encoding
        The files, where the parts of a document stand in a record, and what the suffixes do not say.
    may_be_empty
        Whether a file may hold no documents at all, which else is taken for the wrong file.
    """

    paths: Sequence[str | Path]
    fields: Fields = field(default_factory=Fields)
    format: str | None = None
    encoding: str = "utf-8"
    may_be_empty: bool = False


def read_documents(
    given: Input,
    labelling: Labelling,
    inspector: Inspector,
    *,
    remember_ids: bool = True,
    progress: Progress | None = None,
) -> Iterator[Document]:
    """Yield the documents of all files in order, in memory that does not grow with their texts.

    Parameters
    ----------
    given, labelling, inspector
        The files, what their labels stand for, and what is done with rows that are not as they should be.
    remember_ids
        False takes every id without asking whether it stood before, so that memory does not grow at all.
    progress
        A bar of the caller's, which is moved along the files and counts nothing; one of our own where absent.
    """
    try:
        sources = [Source(path, given.encoding) for path in given.paths]
        sizes = [source.size for source in sources]
        total = None if None in sizes else float(sum(size or 0 for size in sizes))
        seen: set[str] | None = set() if remember_ids else None
        before = 0
        caption = f"Reading {Path(sources[0].name).name}"
        with Progress(caption, total) if progress is None else nullcontext(progress) as bar:
            bar.total = total
            for source in sources:
                reader = _FileReader(source, given, labelling, inspector, seen)
                for document in reader.documents():
                    bar.advance(int(progress is None), before + source.position if total else None)
                    yield document
                before += source.size or 0
    finally:
        inspector.close()


class _FileReader:
    def __init__(
        self, source: Source, given: Input, labelling: Labelling, inspector: Inspector, seen: set[str] | None
    ) -> None:
        self._source, self._format, self._labelling = source, given.format, labelling
        self._inspector, self._report, self._seen = inspector, inspector.report, seen
        self._fields, self._may_be_empty = given.fields, given.may_be_empty
        self._cells = LabelCells(given.fields, labelling.is_label)

    def documents(self) -> Iterator[Document]:
        """Yield the documents of the file."""
        before = self._report.read + self._report.skipped
        first = True
        for number, record in read_records(self._source, self._format, self._bad_row):
            if first:
                self._fields = recognise(self._fields, record)
                require_fields(self._fields, record, self._where(number))
                self._cells = LabelCells(self._fields, self._labelling.is_label)
                first = False
            try:
                document = self._document(record, number)
            except _LeftOutError as reason:
                self._inspector.reject(record, self._where(number), str(reason))
            else:
                self._report.read += 1
                yield document
        if self._report.read + self._report.skipped == before and not self._may_be_empty:
            raise CorpusError(f"{self._source.name} holds no documents: check that it is the right file.")

    def _where(self, number: int) -> str:
        return place(self._source, number, self._format)

    def _bad_row(self, number: int, detail: str, advice: str, content: Any) -> None:
        self._inspector.allows("bad_row", self._where(number), detail, advice)
        self._inspector.reject(content, self._where(number), detail)

    def _check(self, problem: str, number: int, detail: str, advice: str) -> None:
        kept = self._inspector.allows(problem, self._where(number), detail, advice)
        if not kept or problem == "bad_row":
            raise _LeftOutError(detail)

    def _document(self, record: Record, number: int) -> Document:
        """Return the document of a record; raise where a policy leaves it out."""
        text = self._text(record, number)
        labels = self._labels(record, number) if self._fields.labels else ()
        kept = tuple([_as_text(record.get(one)) for one in self._fields.keep])
        return Document(self._id(record, number), text, labels, kept)  # an id is taken by documents read only

    def _text(self, record: Record, number: int) -> str:
        parts = []
        for name in self._fields.text:
            part = plain_text(record.get(name))
            if part is None:
                continue
            if not isinstance(part, str):
                shown = json.dumps(part, ensure_ascii=False, default=str)
                detail = f"the field {name!r} is {kind_of(part)} ({shown[:40]}), not a text"
                self._check("bad_text", number, detail, "make it a string")
                part = shown
            parts.append(part)
        if self._fields.text and not parts:
            names = " and ".join(map(repr, self._fields.text))
            what = f"the text in {names} is missing or empty"
            self._check("missing_text", number, what, "give the document a text")
        return "\n".join(parts)

    def _labels(self, record: Record, number: int) -> tuple[int, ...]:
        found: tuple[int, ...] = ()
        try:
            labels = self._cells.of(record)
        except ValueError as error:
            self._check("unknown_label", number, str(error), "correct it")
            labels = []
        for label in labels:
            positions = self._labelling.positions(label)
            if not positions:
                self._check("unknown_label", number, self._labelling.unknown(label), "correct it")
            found += positions
        if not found:
            self._check("empty_labels", number, "the document has no labels", "give it labels")
        return found

    def _id(self, record: Record, number: int) -> str:
        name = _as_text(record.get(self._fields.id or "id"))
        if not name:
            if self._fields.id is not None:
                detail = f"the field {self._fields.id!r} that holds the ids is empty"
                self._check("bad_row", number, detail, "give every row an id")
            name = str(self._report.read + self._report.skipped + 1)
        if self._seen is None:
            return name
        if name in self._seen:
            detail = f"the id {name!r} stood before"
            self._check("duplicate_id", number, detail, "give every document an id of its own")
        self._seen.add(name)
        return name


class _LeftOutError(Exception):
    """A policy leaves this row out."""


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else plain_name(value)

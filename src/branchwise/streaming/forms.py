"""How predictions become bytes: a form encodes one chunk after another, so that a file can grow by whole chunks."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

import pyarrow as pa

from branchwise.corpus.records import format_of
from branchwise.corpus.streams import COMPRESSIONS
from branchwise.errors import BranchwiseError
from branchwise.predicted import Predicted

FORMATS = ("jsonl", "csv", "tsv", "parquet")
NAME_JOINT, PATH_JOINT = " > ", "; "  # in a cell of paths, which is for people
Chunk = Sequence[tuple[str, Predicted]]


class Form(Protocol):
    """Encodes chunks; the bytes of all of them, one after another, are the file."""

    def encode(self, chunk: Chunk, first: bool) -> bytes:
        """Return the bytes of a chunk, after those of a header where it is the file's first."""


def form_of(output: str, chosen: str | None = None, *, separator: str = ";", scores: bool = True) -> Form:
    """Return the form of an output file.

    Parameters
    ----------
    output
        The file, whose suffix names the format; ``-`` is standard output.
    chosen
        The format where the suffix does not say it.
    separator
        What stands between labels in one cell of CSV or TSV.
    scores
        Whether scores are written.
    """
    kind = format_of(output, chosen)
    if kind not in FORMATS:
        raise BranchwiseError(f"Predictions are not written as {kind}: choose one of {', '.join(FORMATS)}.")
    if kind == "parquet":
        from branchwise.streaming.parquet import ArrowMessages

        return ArrowMessages(scores)
    form: Form = (
        JsonLines(scores) if kind == "jsonl" else Delimited("," if kind == "csv" else "\t", separator, scores)
    )
    compression = COMPRESSIONS.get(Path(output).suffix.lower())
    return form if compression is None else Compressed(form, compression)


class JsonLines:
    """One object a line; confidence and abstention stand in it only where there are any."""

    def __init__(self, scores: bool = True) -> None:
        self._scores = scores

    def encode(self, chunk: Chunk, first: bool) -> bytes:  # noqa: ARG002
        """Return the lines of a chunk."""
        return "".join(json.dumps(self._record(*one), ensure_ascii=False) + "\n" for one in chunk).encode()

    def _record(self, name: str, one: Predicted) -> dict[str, Any]:
        record: dict[str, Any] = {"id": name, "labels": one.labels, "paths": one.paths}
        if self._scores:
            record["scores"] = one.scores
        record["invalid"] = one.invalid
        if one.confidence is not None or one.abstained:
            record |= {"confidence": one.confidence, "abstained": one.abstained}
        return record


class Delimited:
    """CSV or TSV, with the columns always the same."""

    def __init__(self, delimiter: str, separator: str = ";", scores: bool = True) -> None:
        if not separator:
            raise BranchwiseError("The label separator is empty, so that it parts nothing: name another one.")
        self._delimiter, self._separator, self._scores = delimiter, separator, scores

    def encode(self, chunk: Chunk, first: bool) -> bytes:
        """Return the lines of a chunk."""
        lines: list[str] = []
        # Quoting what holds "\r" takes a line terminator with "\r" in it, which is then taken off again.
        writer = csv.writer(
            SimpleNamespace(write=lines.append), delimiter=self._delimiter, lineterminator="\r\n"
        )
        if first:
            scores = ("scores",) if self._scores else ()
            writer.writerow(("id", "labels", "paths", *scores, "invalid", "confidence", "abstained"))
        writer.writerows(self._cells(*one) for one in chunk)
        return "".join(line[:-2] + "\n" for line in lines).encode()

    def _cells(self, name: str, one: Predicted) -> Iterable[str]:
        scores = (json.dumps(one.scores, ensure_ascii=False),) if self._scores else ()
        confidence = "" if one.confidence is None else repr(one.confidence)
        paths = PATH_JOINT.join(NAME_JOINT.join(path) for path in one.paths)
        return (
            name,
            self._joined(name, one.labels),
            paths,
            *scores,
            _flag(one.invalid),
            confidence,
            _flag(one.abstained),
        )

    def _joined(self, name: str, labels: Sequence[str]) -> str:
        cell = self._separator.join(labels)
        parts = [label.strip() for label in cell.split(self._separator)] if labels else []
        if parts != list(labels):
            odd = next((one for one, part in zip(labels, parts, strict=False) if one != part), labels[-1])
            raise BranchwiseError(
                f"The label {odd!r} of document {name!r} could not be told apart from others in one cell, as it holds "
                f"the label separator {self._separator!r} or blanks at its ends: choose another --label-separator, or "
                "write JSON lines or Parquet."
            )
        return cell


class Compressed:
    """Another form, every chunk of it a gzip member or zstd frame of its own."""

    def __init__(self, form: Form, compression: str) -> None:
        self._form, self._codec = form, pa.Codec(compression)

    def encode(self, chunk: Chunk, first: bool) -> bytes:
        """Return the compressed bytes of a chunk."""
        packed: bytes = self._codec.compress(self._form.encode(chunk, first), asbytes=True)
        return packed


def _flag(value: bool) -> str:
    return "true" if value else "false"

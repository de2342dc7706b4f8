"""Documents with their label sets: what is read, checked, split, counted, trained on and evaluated."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from branchwise.corpus.labelling import GrownTree, KnownTree, Labelling
from branchwise.corpus.policies import Inspector, Policies, Policy, ReadingReport
from branchwise.corpus.reader import Input, read_documents
from branchwise.corpus.rows import kind_of
from branchwise.corpus.shapes import Fields
from branchwise.corpus.store import DocumentStore
from branchwise.errors import CorpusError
from branchwise.taxonomy import LabelSets, Taxonomy

PARTS = ("train", "validation", "test")
Names = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class Corpus:
    """N documents and the tree their labels stand in; build one with :meth:`read` or :meth:`from_texts`."""

    taxonomy: Taxonomy
    documents: pa.Table  # columns id, text and those kept; memory-mapped where large
    given: LabelSets  # the labels as the file gives them
    report: ReadingReport = field(default_factory=ReadingReport)

    @classmethod
    def read(
        cls,
        path: str | Path | Sequence[str | Path],
        tree: Taxonomy | None = None,
        *,
        text_field: Names | None = "text",
        label_field: Names | None = "labels",
        id_field: str | None = None,
        keep_fields: Sequence[str] = (),
        label_separator: str = ";",
        path_separator: str | None = None,
        format: str | None = None,
        encoding: str = "utf-8",
        policies: Policies | None = None,
        rejects: str | Path | None = None,
        **choices: Policy,
    ) -> Corpus:
        """Read documents from a file, from several, or from standard input (``-``).

        Parameters
        ----------
        path
            .jsonl, .csv, .tsv, .parquet or .xlsx, the text forms also .gz or .zst.
        tree
            The taxonomy; without one the labels must be paths, such as "A > B > C", and become the tree.
            Labels that are all of one level are taken for a taxonomy forgotten, unless a path separator or
            several label fields are named.
        text_field, label_field, id_field, keep_fields
            Where the parts of a document stand; see :class:`branchwise.corpus.shapes.Fields`. None as
            text field reads no texts, None as label field no labels.
        label_separator, path_separator
            What stands between the labels of one cell, and between the parts of a label that is a path.
        format, encoding
            Where the suffix does not say it: ``jsonl``, ``csv``, …; ``cp1252``, ….
        policies, **choices
            What to do with rows that are not as they should be; see
            :class:`branchwise.corpus.policies.Policies`. ``unknown_label="skip"`` sets one of them.
        rejects
            A file for the rows that are left out, as JSON lines with place and reason.
        """
        paths = [path] if isinstance(path, str | Path) else list(path)
        if not paths:
            raise CorpusError("No document file is named: give at least one.")
        fields = Fields(
            text=_tuple(text_field) if text_field is not None else (),
            labels=_tuple(label_field) if label_field is not None else None,
            id=id_field,
            label_separator=label_separator,
            path_separator=path_separator,
            keep=tuple(keep_fields),
        )
        _check_kept(fields.keep)
        rules = replace(policies or Policies(), **choices)
        _check_rejects(rejects, paths)
        declared = path_separator is not None or len(fields.labels or ()) > 1
        labelling: Labelling = GrownTree(may_be_flat=declared) if tree is None else KnownTree(tree)
        inspector = Inspector(rules, rejects)
        sizes, labels = array("q"), array("i")
        with DocumentStore(("id", "text", *fields.keep)) as store:
            for document in read_documents(Input(paths, fields, format, encoding), labelling, inspector):
                store.add((document.id, document.text, *document.kept))
                sizes.append(len(document.labels))
                labels.extend(document.labels)
            if not sizes:
                lines = "; ".join(inspector.report.lines())
                raise CorpusError(f"Every row of {paths[0]} was left out: {lines}.")
            rows = np.repeat(np.arange(len(sizes)), np.asarray(sizes))
            given = LabelSets.from_pairs(rows, np.asarray(labels, dtype=np.int32), len(sizes))
            known, given = labelling.finish(given)
            return cls(known, store.table(), given, inspector.report)

    @classmethod
    def from_texts(
        cls,
        texts: Sequence[str],
        labels: Sequence[Sequence[str]] | None,
        tree: Taxonomy,
        ids: Sequence[str] | None = None,
    ) -> Corpus:
        """Build a corpus from texts and label ids in memory; without ids documents are numbered from 1."""
        for what, values in (("label sets", labels), ("ids", ids)):
            if values is not None and len(values) != len(texts):
                raise CorpusError(
                    f"There are {len(texts)} texts and {len(values)} {what}: give one to every text."
                )
        wrong = next((row for row, text in enumerate(texts, 1) if not isinstance(text, str)), None)
        if wrong is not None:
            raise CorpusError(
                f"Text {wrong} is {kind_of(texts[wrong - 1])}, not a string: give strings only."
            )
        given = LabelSets.empty(len(texts))
        if labels is not None:
            given = LabelSets.from_lists([[p for one in row for p in tree.positions(one)] for row in labels])
        names = list(ids) if ids is not None else [str(i) for i in range(1, len(texts) + 1)]
        columns = [pa.array(names, pa.large_string()), pa.array(list(texts), pa.large_string())]
        return cls(tree, pa.table(columns, names=["id", "text"]), given, ReadingReport(read=len(texts)))

    @classmethod
    def bundled(cls, part: str = "train") -> Corpus:
        """Open a part of the arXiv slice that ships with the package: train, validation or test."""
        from branchwise.corpus.bundled import bundled_file, bundled_taxonomy

        if part not in PARTS:
            raise CorpusError(f"The bundled corpus has no part {part!r}: choose one of {', '.join(PARTS)}.")
        return cls.read(bundled_file(part), bundled_taxonomy())

    def __len__(self) -> int:
        return len(self.given)

    def __repr__(self) -> str:
        return f"Corpus({len(self):,} documents, {self.taxonomy!r})"

    @cached_property
    def labels(self) -> LabelSets:
        """The label sets, closed upwards."""
        return self.given.closed(self.taxonomy)

    @property
    def ids(self) -> list[str]:
        """The documents' ids."""
        return self.documents.column("id").to_pylist()

    def texts(self) -> Iterator[str]:
        """Yield the texts in order without holding them all."""
        for batch in self.documents.select(["text"]).to_batches(max_chunksize=1024):
            yield from batch.column(0).to_pylist()

    def take(self, rows: Sequence[int] | np.ndarray) -> Corpus:
        """Return the documents of the given rows, in that order."""
        chosen = np.asarray(rows, dtype=np.int64)
        documents = self.documents.take(pa.array(chosen))
        return Corpus(self.taxonomy, documents, self.given.take(chosen), ReadingReport(len(chosen)))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of ids, texts and closed label sets in order, equal on all machines and in all formats."""
        digest = hashlib.sha256()
        names = iter(self.labels.to_ids(self.taxonomy))
        for batch in self.documents.select(["id", "text"]).to_batches(max_chunksize=1024):
            for one, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                parts = [one.encode(), text.encode(), *(label.encode() for label in next(names))]
                digest.update(b"%d;" % len(parts))
                for part in parts:
                    digest.update(b"%d:%b" % (len(part), part))
        return digest.hexdigest()

    def write(self, path: str | Path, **options: Any) -> None:
        """Write the documents in the format the suffix names; see :mod:`branchwise.corpus.write`."""
        from branchwise.corpus.write import write_documents

        write_documents(self, path, **options)


def _tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _check_kept(names: Sequence[str]) -> None:
    wrong = [name for i, name in enumerate(names) if name in ("id", "text", "labels") or name in names[:i]]
    if wrong:
        raise CorpusError(
            f"The field {wrong[0]!r} cannot be carried along, as documents have it already: do not name it."
        )


def _check_rejects(rejects: str | Path | None, paths: Sequence[str | Path]) -> None:
    if rejects is not None and Path(rejects).resolve() in [Path(path).resolve() for path in paths]:
        raise CorpusError(
            f"The rows left out would overwrite the input {rejects}: name another file for them."
        )

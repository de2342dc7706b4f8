"""Prediction files, read a document at a time, and matched to the truth by id and never by order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from branchwise.corpus.records import format_of, place, read_records
from branchwise.corpus.streams import Source
from branchwise.errors import EvaluationError
from branchwise.evaluation.prediction_records import RecordCollector, RecordError
from branchwise.progress import Progress
from branchwise.taxonomy import LabelSets, Taxonomy

FORMATS = ("jsonl", "csv", "tsv", "parquet")
NAMED = 3  # ids that an error names before it only counts


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a system predicted for documents known by their ids."""

    ids: tuple[str, ...]
    sets: LabelSets
    """As they were given, not closed upwards."""
    scores: csr_array | None
    """Documents × labels; None where the file has none."""
    invalid: np.ndarray | None
    """Whether a document's output was invalid, [N] bool; None where the file has no such field."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def scores_only_what_is_predicted(self) -> bool:
        """Whether every document's scores are those of its predicted labels, so that nothing can be ranked."""
        if self.scores is None:
            return False
        same = np.array_equal(np.diff(self.scores.indptr), self.sets.sizes)
        return same and np.array_equal(self.scores.indices, self.sets.labels)

    def take(self, rows: np.ndarray | Sequence[int]) -> Predictions:
        """Return the predictions of the given rows, in that order; :func:`match` says which rows."""
        rows = np.asarray(rows, np.int64)
        return Predictions(
            ids=tuple(self.ids[row] for row in rows.tolist()),
            sets=self.sets.take(rows),
            scores=None if self.scores is None else self.scores[rows],
            invalid=None if self.invalid is None else self.invalid[rows],
        )


def read_predictions(
    path: str | Path, tree: Taxonomy, *, file_format: str | None = None, label_separator: str = ";"
) -> Predictions:
    """Read predictions from a file, or from standard input where ``path`` is ``-``.

    Parameters
    ----------
    path
        JSON lines with ``id``, ``labels`` and, where there are any, ``scores`` (label id to number) and
        ``invalid``; or CSV, TSV or Parquet with the same as columns, scores in a cell as a JSON object. Text may
        be compressed (.gz, .zst).
    tree
        The taxonomy the labels are of.
    file_format
        ``jsonl``, ``csv``, ``tsv`` or ``parquet`` where the suffix does not say so.
    label_separator
        What stands between the labels in a cell of a CSV or TSV file.
    """
    source = Source(path)
    kind = format_of(source.path, file_format)
    if kind not in FORMATS:
        raise EvaluationError(
            f"{source.name} is a {kind} file: predictions are read from {', '.join(FORMATS)}."
        )
    collector = RecordCollector(tree, label_separator if kind in ("csv", "tsv") else None)
    with Progress(f"Reading {source.name}", source.size, "predictions") as progress:
        for number, record in read_records(source, file_format):
            try:
                collector.add(record)
            except RecordError as error:
                raise EvaluationError(f"{place(source, number, file_format)}: {error}") from None
            progress.advance(position=source.position)
    if not collector.ids:
        raise EvaluationError(f"{source.name} holds no predictions: check that it is the right file.")
    return Predictions(tuple(collector.ids), collector.sets(), collector.scores(), collector.invalid())


def match(truth_ids: Sequence[str], prediction_ids: Sequence[str]) -> np.ndarray:
    """Return for every true document the row of its prediction, [N] int64; the ids must be the same ones."""
    for ids, what in ((truth_ids, "true documents"), (prediction_ids, "predictions")):
        doubled = [one for one, count in Counter(ids).items() if count > 1]
        if doubled:
            raise EvaluationError(f"{_name(doubled)} more than once among the {what}: give every id once.")
    row_of = {one: row for row, one in enumerate(prediction_ids)}
    missing = [one for one in truth_ids if one not in row_of]
    if missing:
        raise EvaluationError(
            f"{_name(missing)} not among the predictions, out of {len(truth_ids)} true documents: predict "
            "every document that is evaluated, with an empty list where nothing is predicted."
        )
    if len(prediction_ids) > len(truth_ids):
        known = set(truth_ids)
        extra = [one for one in prediction_ids if one not in known]
        raise EvaluationError(
            f"{_name(extra)} predicted but not among the {len(truth_ids)} true documents: leave these "
            "predictions out, or evaluate on the documents they were made for."
        )
    return np.fromiter((row_of[one] for one in truth_ids), np.int64, len(truth_ids))


def _name(ids: list[str]) -> str:
    """Say which ids a sentence is about, the first few by name: ``2 ids (a, b) are``."""
    shown = ", ".join(repr(one) for one in ids[:NAMED]) + (", …" if len(ids) > NAMED else "")
    return f"1 id ({shown}) is" if len(ids) == 1 else f"{len(ids)} ids ({shown}) are"

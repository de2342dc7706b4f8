"""Records of a prediction file, checked one by one and collected in flat arrays.

Memory follows the labels and scores that are there, not Python objects, because nightly runs have millions.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from branchwise.corpus.records import Record
from branchwise.evaluation.sets import label_positions
from branchwise.taxonomy import LabelSets, Taxonomy

NOT_INVALID = ("", "0", "false", "no")  # what a text in the field "invalid" may say and still mean valid


class RecordError(Exception):
    """What is wrong with one record; whoever reads the file adds where."""


class RecordCollector:
    """Takes the records of one file in order.

    Parameters
    ----------
    tree
        The taxonomy the labels are of.
    separator
        What stands between the labels of one cell of text; None where labels come as a list.
    """

    def __init__(self, tree: Taxonomy, separator: str | None) -> None:
        self.ids: list[str] = []
        self._tree, self._separator = tree, separator
        self._known = label_positions(tree)
        self._labels, self._sizes = array("i"), array("q")
        self._has_scores: bool | None = None  # unknown before the first record
        self._columns, self._values, self._filled = array("i"), array("d"), array("q")
        self._invalid = bytearray()
        self._has_invalid = False

    def add(self, record: Record) -> None:
        """Take one record, or raise a RecordError."""
        self.ids.append(_id_of(record))
        before = len(self._labels)
        for label in self._labels_of(record):
            self._labels.extend(self._positions(label))
        self._sizes.append(len(self._labels) - before)
        self._add_scores(record.get("scores"))
        self._has_invalid |= "invalid" in record
        self._invalid.append(_is_invalid(record.get("invalid")))

    def sets(self) -> LabelSets:
        """Return the label sets, one a record, not closed upwards."""
        rows = np.repeat(np.arange(len(self.ids)), np.array(self._sizes))
        return LabelSets.from_pairs(rows, np.array(self._labels, np.int32), len(self.ids))

    def scores(self) -> csr_array | None:
        """Return the scores, [N, K], or None where the records have none."""
        if not self._has_scores:
            return None
        offsets = np.concatenate([[0], np.cumsum(self._filled)])
        parts = np.array(self._values), np.array(self._columns, np.int32), offsets
        scores = csr_array(parts, shape=(len(self.ids), len(self._tree)))
        scores.sort_indices()
        return scores

    def invalid(self) -> np.ndarray | None:
        """Return which outputs were invalid, [N] bool, or None where no record says so."""
        return np.frombuffer(bytes(self._invalid), bool) if self._has_invalid else None

    def _labels_of(self, record: Record) -> Iterable[Any]:
        labels = record.get("labels")
        if self._separator is not None and isinstance(labels, str):
            return [label.strip() for label in labels.split(self._separator) if label.strip()]
        if isinstance(labels, list):
            return labels
        if labels is None:
            raise RecordError(
                "The field 'labels' is missing: give the label ids, none if nothing is predicted."
            )
        raise RecordError(f"The field 'labels' is {labels!r:.60}, not a list: give a list of label ids.")

    def _positions(self, label: Any) -> tuple[int, ...]:
        if not isinstance(label, str):
            raise RecordError(f"The label {label!r:.60} is not a string: write label ids in quotes.")
        if label not in self._known:
            raise RecordError(self._tree.unknown_label(label))
        return self._known[label]

    def _add_scores(self, scores: Any) -> None:
        scores = _as_mapping(scores)
        if self._has_scores is None:
            self._has_scores = scores is not None
        if (scores is not None) != self._has_scores:
            raise RecordError(
                "Some documents have the field 'scores' and others have not: give it to all or to none."
            )
        if scores is None:
            return
        if not isinstance(scores, dict):
            raise RecordError(
                f"The field 'scores' is {scores!r:.60}: give label ids with numbers, as in {{\"a\": 0.9}}."
            )
        row: dict[int, float] = {}
        for label, score in scores.items():
            if (
                type(score) not in (float, int) or not 0 <= score <= 1
            ):  # a NaN, which json reads, fails this too
                raise RecordError(f"The score of {label!r} is {score!r:.60}: give a number between 0 and 1.")
            for position in self._positions(label):
                row[position] = score
        self._columns.extend(row)
        self._values.extend(row.values())
        self._filled.append(len(row))


def _as_mapping(scores: Any) -> Any:
    """Return scores as JSON lines have them: a cell of CSV holds a JSON object, Parquet a list of pairs."""
    if isinstance(scores, str):
        try:
            return json.loads(scores) if scores.strip() else None
        except ValueError:
            return scores
    is_pairs = isinstance(scores, list) and all(isinstance(one, tuple) for one in scores)
    return dict(scores) if is_pairs else scores


def _id_of(record: Record) -> str:
    value = record.get("id")
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or value == "":
        raise RecordError("The field 'id' is missing: give the id of the document that the labels are for.")
    raise RecordError(f"The id {value!r:.60} is neither a string nor a whole number: give the document's id.")


def _is_invalid(value: Any) -> bool:
    if isinstance(value, str):  # a flag from CSV, or what was wrong in words
        return value.strip().lower() not in NOT_INVALID
    if value is None or isinstance(value, bool | int):
        return bool(value)
    raise RecordError(f"The field 'invalid' is {value!r:.60}: give true, false, or what was wrong as text.")
